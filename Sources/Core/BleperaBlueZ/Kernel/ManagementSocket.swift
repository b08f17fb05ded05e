import BleperaBluetooth
import BleperaLoop
import Glibc

/// A connection to the kernel's management interface.
///
/// The kernel carries out commands that need no radio while they are sent. It answers each, and reports to all others
/// what a command has changed.
package final class ManagementSocket {
  let descriptor: CInt

  /// In milliseconds: how long `ask` waits for an answer.
  private static let timeout: CInt = 1000

  package init() throws(ManagementFailure) {
    let descriptor = HCISocket.open(.control)
    guard descriptor >= 0 else {
      if [EPERM, EACCES].contains(-descriptor) { throw .noCapability }
      throw HCISocket.adapters == nil ? .noBluetooth : .otherNamespace
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// False where the kernel will not reply. It returns 0 for a command that it replies to with an error.
  func send(_ command: ManagementCommand, to index: UInt16) -> Bool {
    let bytes = command.bytes(index: index)
    return unsafe write(descriptor, bytes, bytes.count) >= 0
  }

  /// The next message; nil where none waits.
  func receive() -> ManagementMessage? {
    // The header, and the most that a message has.
    var buffer = [UInt8](repeating: 0, count: 6 + 0xFFFF)
    while true {
      let count = unsafe read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return nil }
      if let message = ManagementMessage(Array(buffer[..<count])) { return message }
    }
  }

  /// Sends a command that needs no radio and waits for its reply. Other messages are lost.
  func ask(_ command: ManagementCommand, of index: UInt16) throws(ManagementFailure) -> [UInt8] {
    guard send(command, to: index) else { throw .status(0) }
    while true {
      while let message = receive() {
        if case .reply(command.code, let result) = message.content { return try result.get() }
      }
      var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let count = unsafe poll(&wanted, 1, Self.timeout)
      guard count > 0 || count < 0 && errno == EINTR else { throw .status(0) }
    }
  }

  /// Checks that an adapter of bluetoothd is the kernel's, and returns its index and its settings.
  func find(_ adapter: Adapter) throws(ManagementFailure) -> (index: UInt16, settings: AdapterSettings) {
    let failure = ManagementFailure.notThisKernel(adapter: adapter.name)
    guard let index = UInt16(exactly: adapter.number) else { throw failure }
    let reply: [UInt8]
    do { reply = try ask(.readControllerInformation, of: index) } catch {
      throw error == ManagementFailure(status: 0x11) ? failure : error
    }
    guard let controller = ManagementCommand.controller(in: reply),
      adapter.hasRandomAddress || controller.address == adapter.address
    else { throw failure }
    return (index, controller.settings)
  }

  /// The number of an adapter's advertising instances that the kernel lists.
  ///
  /// - Throws: the first reason why the adapter cannot send exact packets; none where it can, from Linux 5.11 on.
  package static func listedInstances(of adapter: Adapter) throws(ManagementFailure) -> Int {
    let socket = try ManagementSocket()
    let reply = try socket.ask(.readAdvertisingFeatures, of: try socket.find(adapter).index)
    return ManagementCommand.instances(in: reply)?.listed.count ?? 0
  }
}
