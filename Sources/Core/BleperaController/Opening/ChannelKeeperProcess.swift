import BleperaBluetooth
import BleperaLoop
import Glibc

/// The process with the right to an adapter of the kernel: it opens the user channel for the phone, and ends what the
/// controller does when the phone has ended, however it has.
///
/// The kernel sends no Reset when a channel is closed, and an advertising set would stay on the air. So this process
/// keeps a copy of the channel, and sends Reset when the phone's end of the socket pair is closed.
package struct ChannelKeeperProcess {
  private let socket: CInt
  private let bind: () -> CInt
  private let powerOff: () -> Void
  private var channel: CInt = -1

  /// How long the kernel may need to give the adapter up, or to have it again after it was plugged in; ours.
  private static let limit = Duration.seconds(3)
  private static let pause: CInt = 50  // milliseconds
  private static let answerLimit = Duration.seconds(1)
  /// The kernel drops the events for which the buffer has no room.
  private static let bufferSize: CInt = 4 << 20
  /// SO_RCVBUFFORCE, which needs CAP_NET_ADMIN.
  private static let forceBufferSize: CInt = 33

  /// - Parameters:
  ///   - socket: the end of a pair of sockets that keep the boundaries of packets.
  ///   - bind: opens a user channel; returns its descriptor, or an error of the system as a negative number.
  ///   - powerOff: makes the kernel give the adapter up.
  package init(socket: CInt, bind: @escaping () -> CInt, powerOff: @escaping () -> Void) {
    (self.socket, self.bind, self.powerOff) = (socket, bind, powerOff)
  }

  /// Keeps the kernel's adapter of this number.
  package init(socket: CInt, adapter: UInt16) {
    self.init(socket: socket) {
      HCISocket.open(.user, of: adapter)
    } powerOff: {
      Self.powerOff(adapter)
    }
  }

  /// Returns when the other end of the socket pair is closed.
  package mutating func run() {
    var wasOpen = false
    while let number = receive() {
      release()
      let result = open(again: wasOpen)
      let answer = [number, UInt8(truncatingIfNeeded: result < 0 ? -result : 0)]
      if result >= 0 {
        (channel, wasOpen) = (result, true)
        _ = unsafe answer.withUnsafeBytes { unsafe DescriptorMessage.send($0, with: result, to: socket) }
      } else {
        _ = unsafe send(socket, answer, answer.count, CInt(MSG_NOSIGNAL))
      }
    }
    release()
  }

  /// Nil at the end.
  private func receive() -> UInt8? {
    var byte: UInt8 = 0
    while true {
      let count = unsafe recv(socket, &byte, 1, 0)
      if count == 1 { return byte }
      guard count < 0, errno == EINTR else { return nil }
    }
  }

  /// - Parameter again: whether an adapter that is not there was unplugged, and is waited for.
  private func open(again: Bool) -> CInt {
    let deadline = ContinuousClock.now + Self.limit
    while true {
      let result = bind()
      if result >= 0 {
        SocketOption.set(Self.forceBufferSize, of: SOL_SOCKET, to: Self.bufferSize, on: result)
        return result
      }
      guard -result == EBUSY || again && -result == ENODEV, ContinuousClock.now < deadline else { return result }
      if -result == EBUSY { powerOff() }
      var end = pollfd(fd: socket, events: 0, revents: 0)
      if unsafe poll(&end, 1, Self.pause) > 0 { return result }
    }
  }

  /// Ends everything that the controller does, and closes the channel.
  private mutating func release() {
    guard channel >= 0 else { return }
    let reset: [UInt8] = [0x01, 0x03, 0x0C, 0x00]
    // The kernel drops packets that it has not sent when the channel is closed; Command Complete of Reset comes after.
    if unsafe send(channel, reset, reset.count, CInt(MSG_NOSIGNAL)) == reset.count {
      Self.read(channel) { $0.count >= 6 && $0[..<2] == [0x04, 0x0E] && $0[4..<6] == [0x03, 0x0C] }
    }
    close(channel)
    channel = -1
  }

  /// Set Powered of the management interface (doc/mgmt-api.txt of BlueZ), and the answer: Command Complete or Command
  /// Status. The management socket of the radio on bluetoothd is not below this target, and is of use here for this
  /// command alone.
  private static func powerOff(_ adapter: UInt16) {
    let control = HCISocket.open(.control)
    guard control >= 0 else { return }
    defer { close(control) }
    let command: [UInt8] = [0x0005, adapter, 1].flatMap { LittleEndian.bytes($0) } + [0]
    guard unsafe write(control, command, command.count) == command.count else { return }
    read(control) { $0.count >= 8 && [1, 2].contains($0[0]) && $0[6..<8] == [0x05, 0x00] }
  }

  /// Reads packets until the wanted one, the end, or the time limit.
  private static func read(_ descriptor: CInt, until isWanted: (ArraySlice<UInt8>) -> Bool) {
    let deadline = ContinuousClock.now + answerLimit
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let rest = (deadline - .now).components
      var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let milliseconds = CInt(max(0, rest.seconds * 1000 + rest.attoseconds / 1_000_000_000_000_000))
      guard unsafe poll(&wanted, 1, milliseconds) > 0 else { return }
      let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return }
      if isWanted(buffer[..<count]) { return }
    }
  }
}
