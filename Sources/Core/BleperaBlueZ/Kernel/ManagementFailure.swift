import BleperaBluetooth
package import BleperaRadio

/// Why the kernel's management interface does not do something; a phrase that can follow a colon.
package enum ManagementFailure: Error, Hashable, Sendable, CustomStringConvertible {
  case noBluetooth
  /// The kernel has Bluetooth, and this process's network namespace has not: a container.
  case otherNamespace
  /// The adapter of bluetoothd is not the kernel's: bluetoothd runs elsewhere, or is a virtual one.
  case notThisKernel(adapter: String)
  case noCapability
  /// The kernel lacks Add Extended Advertising Parameters.
  case tooOld
  /// bluetoothd or other programs have each instance, or will need it.
  case noInstance
  /// A status of the interface that says nothing else; 0 for no answer.
  case status(UInt8)

  static let busy = ManagementFailure.status(0x0A)
  /// The kernel refuses a parameter, such as an instance that does not exist.
  static let invalidParameters = ManagementFailure.status(0x0D)

  init(status: UInt8) {
    self =
      switch status {
      case 0x01: .tooOld
      case 0x11: .notThisKernel(adapter: "it")
      case 0x14: .noCapability
      default: .status(status)
      }
  }

  package var description: String {
    switch self {
    case .noBluetooth: "the kernel has no Bluetooth"
    case .otherNamespace: "this container has a network of its own, and so no Bluetooth sockets"
    case .notThisKernel(let adapter): "\(adapter) is not an adapter of this machine's kernel"
    case .noCapability: "the capability CAP_NET_ADMIN is missing"
    case .tooOld: "the kernel is older than Linux 5.11"
    case .noInstance: "no advertising instance is free"
    case .status(0): "the kernel does not answer"
    case .status(let status): "the kernel refuses with the status 0x\(Hex.string([status]))"
    }
  }

  /// Advice for the user, a phrase that can follow a semicolon.
  package var advice: String {
    switch self {
    case .noBluetooth: "load the kernel's module (modprobe bluetooth)"
    case .otherNamespace: "run the container in the host's network (--network host)"
    case .notThisKernel: "run blepera on the machine that has the adapter"
    case .noCapability: "use the system unit blepera-system, or start with sudo"
    case .tooOld: "use a newer kernel"
    case .noInstance: "end other programs that advertise"
    case .status: "look at the kernel's log (dmesg | grep -i bluetooth)"
    }
  }

  /// Whether a later try cannot help.
  var isFinal: Bool {
    switch self {
    case .noBluetooth, .otherNamespace, .notThisKernel, .noCapability, .tooOld: true
    case .noInstance, .status: false
    }
  }
}

extension RadioLimitation {
  /// Why a phone that was to send exact packets does not.
  package init(notExact failure: ManagementFailure) {
    self.init(
      id: RadioLimitation.exact, iPhone: "The packets are exactly those of an iPhone.",
      instead: "bluetoothd sends its own packets: \(failure).",
      advice: failure.advice.prefix(1).uppercased() + failure.advice.dropFirst() + ".")
  }

  /// The advertisements that bluetoothd counts for programs that have ended.
  package init(ghosts count: Int) {
    self.init(
      id: RadioLimitation.ghosts, iPhone: "An app's advertisement ends with the app.",
      instead:
        "bluetoothd counts \(Quote.counted(count, "advertisement")) that \(count == 1 ? "is" : "are") not on the air.",
      advice: "Restart bluetooth.service.")
  }
}
