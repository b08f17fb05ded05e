import BleperaLoop
import Glibc
import Synchronization

/// The process that opens the kernel's user channel for this process, which has no right to; see
/// `ChannelKeeperProcess`.
package final class ChannelKeeper: Sendable {
  /// The keeper that was started for this process, if any.
  package static var ofProcess: ChannelKeeper? {
    get { started.withLock(\.self) }
    set { started.withLock { $0 = newValue } }
  }

  private static let started = Mutex<ChannelKeeper?>(nil)

  /// Opens and closes nothing: the kernel closes the socket when this process ends, by which the keeper sees the end.
  private let socket: CInt
  private let last = Mutex<UInt8>(0)

  /// The largest packets: the octet of H4, and a header and data of ACL.
  private static let packet = 1 + 4 + Int(UInt16.max)

  /// - Parameter socket: of a pair of sockets that keep the boundaries of packets.
  package init(socket: CInt) { self.socket = socket }

  /// Opens the channel. The former stream must be closed.
  func open(
    _ place: ControllerPlace, on loop: any DescriptorLoop, until deadline: Duration
  ) async throws(ControllerFailure) -> any ByteStream {
    let number = last.withLock { last in
      last &+= 1
      return last
    }
    guard unsafe send(socket, [number], 1, CInt(MSG_NOSIGNAL)) == 1 else { throw ControllerFailure(place, .noKeeper) }
    while true {
      let isReady = await ControllerPlace.first(on: loop, until: deadline) { [socket] done in
        loop.watch(descriptor: socket, for: .reading) { _ in done(true) }
      }
      guard isReady != nil else { throw ControllerFailure(place, .timeout) }
      var (answer, descriptors) = ([UInt8](repeating: 0, count: 2), [CInt]())
      let count = unsafe answer.withUnsafeMutableBytes { bytes in
        unsafe DescriptorMessage.receive(bytes, from: socket, &descriptors)
      }
      if count < 0, errno == EAGAIN || errno == EINTR { continue }
      guard count == 2 else { throw ControllerFailure(place, .noKeeper) }
      if answer[0] == number, let descriptor = descriptors.first {
        return DescriptorStream(loop: loop, descriptor: descriptor, packet: (Self.packet, Self.packet))
      }
      // The answer to a request whose time was over.
      for descriptor in descriptors { close(descriptor) }
      if answer[0] == number { throw ControllerFailure(place, channel: CInt(answer[1])) }
    }
  }
}
