package import BleperaEventLoop
import BleperaLoop
import Glibc

/// An end of a SOCK_SEQPACKET pair, which preserves packet boundaries; the stream ends with the last reference.
package final class SequencedSocket: Sendable {
  private let descriptor: UnixFileDescriptor

  /// Nil for a descriptor that is no SOCK_SEQPACKET: a regular file, for one, would be readable all the time.
  package init?(_ descriptor: UnixFileDescriptor) {
    var type: CInt = 0
    var size = socklen_t(MemoryLayout<CInt>.size)
    guard unsafe getsockopt(descriptor.rawValue, SOL_SOCKET, SO_TYPE, &type, &size) == 0,
      type == CInt(SOCK_SEQPACKET.rawValue)
    else { return nil }
    self.descriptor = descriptor
  }

  /// Shuts the stream down, because a child process that is being started has a copy of the descriptor until it runs
  /// its program. The other end sees the end of the stream before anything that is sent in another way after it.
  deinit { _ = shutdown(descriptor.rawValue, CInt(SHUT_RDWR)) }

  /// Our end and the end to pass on; nil if the process has no descriptors left.
  package static func pair() -> (own: SequencedSocket, other: UnixFileDescriptor)? {
    var ends: [CInt] = [-1, -1]
    let type = CInt(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else { return nil }
    let own = UnixFileDescriptor(owning: ends[0])
    let other = UnixFileDescriptor(owning: ends[1])
    return SequencedSocket(own).map { ($0, other) }
  }

  /// Sends a packet; has no effect if the other end is closed or does not read.
  ///
  /// - Returns: whether there was room, or the other end is closed.
  @discardableResult
  package func send(_ bytes: [UInt8]) -> Bool {
    let flags = CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT)
    let count = unsafe bytes.withUnsafeBytes {
      unsafe Glibc.send(descriptor.rawValue, $0.baseAddress, $0.count, flags)
    }
    return count >= 0 || errno != EAGAIN
  }

  /// Whether the other end has not received everything that was sent.
  package var hasUnread: Bool {
    var count: CInt = 0
    return unsafe ioctl(descriptor.rawValue, UInt(TIOCOUTQ), &count) == 0 && count > 0
  }

  /// Whether the other end is closed.
  package var hasEnded: Bool {
    var wanted = pollfd(fd: descriptor.rawValue, events: 0, revents: 0)
    return unsafe poll(&wanted, 1, 0) > 0
  }

  /// The next packet; nil if none is available, empty at the end.
  package func receive() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 1024)
    let count = unsafe buffer.withUnsafeMutableBytes {
      unsafe recv(descriptor.rawValue, $0.baseAddress, $0.count, CInt(MSG_DONTWAIT))
    }
    return count < 0 ? nil : Array(buffer.prefix(count))
  }

  /// Runs `packet` for every packet, and `end` once when the other end is closed.
  package func watch(
    on loop: EventLoop, packet: @escaping @Sendable ([UInt8]) -> Void, end: @escaping @Sendable () -> Void
  ) -> EventSource {
    loop.watch(descriptor: descriptor.rawValue, for: .reading) { [weak self] readiness in
      while let bytes = self?.receive(), !bytes.isEmpty { packet(bytes) }
      if !readiness.isDisjoint(with: .hangUp) { end() }
    }
  }
}
