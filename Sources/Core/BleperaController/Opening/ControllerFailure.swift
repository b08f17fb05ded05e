import BleperaLoop
import Glibc

/// Why a controller cannot be opened: where, why, and what to do.
package struct ControllerFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Cause: Hashable, Sendable {
    case noCapability
    /// By rfkill.
    case blocked
    /// Another program has the user channel, or the kernel is setting the adapter up.
    case busy
    /// The machine has these adapters.
    case noAdapter([String])
    case noBluetooth
    /// The kernel has Bluetooth, and this process's network namespace has not: a container.
    case otherNamespace
    /// The process that opens the adapter has ended.
    case noKeeper
    /// The system lets this process give up no capability.
    case rights
    /// With the C library's reason.
    case unknownHost(String)
    case timeout
    case notSerial
    case system(CInt)
  }

  package let place: ControllerPlace
  package let cause: Cause

  package init(_ place: ControllerPlace, _ cause: Cause) { (self.place, self.cause) = (place, cause) }

  /// ERFKILL, which the headers do not expose to Swift.
  private static let blocked: CInt = 132

  /// - Parameter error: of the user channel's socket.
  init(_ place: ControllerPlace, channel error: CInt) {
    let cause: Cause =
      switch error {
      case EPERM, EACCES: .noCapability
      case Self.blocked: .blocked
      case EBUSY, EUSERS: .busy
      case ENODEV: .noAdapter(HCISocket.adapters ?? [])
      case EAFNOSUPPORT: HCISocket.adapters == nil ? .noBluetooth : .otherNamespace
      default: .system(error)
      }
    self.init(place, cause)
  }

  /// A sentence without its full stop.
  package var description: String { "\(place) cannot be opened: \(reason); \(advice)" }

  /// A phrase that can follow a colon.
  package var reason: String {
    switch cause {
    case .noCapability: "the capability CAP_NET_ADMIN is missing"
    case .blocked: "rfkill blocks the adapter"
    case .busy: "another program has the adapter by the kernel's user channel, or the kernel still sets the adapter up"
    case .noAdapter([]): "the machine has no Bluetooth adapter"
    case .noAdapter(let names): "there is no such adapter; the machine has \(names.joined(separator: ", "))"
    case .noBluetooth: "the kernel has no Bluetooth"
    case .otherNamespace: "this container has a network of its own, and so no Bluetooth sockets"
    case .noKeeper: "the process that opens the adapter for the phone has ended"
    case .rights: "this process cannot give up its capabilities"
    case .unknownHost(let text): "the host is not known (\(text))"
    case .timeout: "no answer within \(ControllerPlace.openTimeout.components.seconds) seconds"
    case .notSerial: "the file is not a serial line"
    case .system(EWOULDBLOCK): "another program has locked the line"
    case .system(let code): unsafe String(cString: strerror(code))
    }
  }

  /// Advice for the user, a phrase that can follow a semicolon.
  package var advice: String {
    switch cause {
    case .noCapability: "use the system unit blepera-controller, or start with sudo"
    case .blocked: "run 'rfkill unblock bluetooth', or use the machine's switch"
    case .busy: "end the other program, or plug the adapter in again"
    case .noAdapter([]): "plug one in"
    case .noAdapter(let names): "use \(names[0]), or plug the adapter in"
    case .noBluetooth: "load the kernel's module (modprobe bluetooth)"
    case .otherNamespace: "run the container in the host's network (--network host)"
    case .noKeeper: "start the phone again"
    case .rights: "allow the system call capset, as the system unit blepera-controller does"
    case .unknownHost: "check the name, or use an address"
    case .notSerial: "use the board's device, such as /dev/ttyACM0"
    case .system(EACCES): "use a user who may, such as a member of the group of the file"
    case .system(EWOULDBLOCK): "end the other program"
    case .system(ENOENT): "check the path, and that the controller is there"
    case .timeout, .system: "check that the controller is there, and start it first"
    }
  }

  /// Whether a later try cannot help.
  package var isFinal: Bool {
    switch cause {
    case .noCapability, .noBluetooth, .otherNamespace, .noKeeper, .rights, .notSerial: true
    case .blocked, .busy, .noAdapter, .unknownHost, .timeout, .system: false
    }
  }
}
