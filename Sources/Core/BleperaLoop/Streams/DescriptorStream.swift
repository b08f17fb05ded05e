import Glibc
import Synchronization

/// A stream over a connected socket, of bytes or of packets, or over a terminal.
package final class DescriptorStream: ByteStream {
  private let loop: any DescriptorLoop
  /// In bytes; nil for a socket of bytes.
  private let packet: (read: Int, write: Int)?
  private let acknowledgesAtOnce: Bool
  private let state: Mutex<State>

  private struct State {
    /// -1 after closing.
    var descriptor: CInt
    /// The watch stays for the next wait with the same readiness, so that the loop keeps its set of descriptors.
    var watch: (any LoopTimer)?
    var readiness: Readiness = []
    /// Nil where nothing is waited for.
    var waiter: (@Sendable () -> Void)?

    mutating func endWatch() {
      watch?.cancel()
      watch = nil
    }
  }

  /// Takes ownership of the socket.
  ///
  /// - Parameters:
  ///   - packet: the largest packets of a socket that keeps their boundaries; nil for one that does not.
  ///   - acknowledgesAtOnce: of TCP, for a sender that waits for the acknowledgement of the first part of a packet before
  ///     it sends the rest, which else comes some 40 ms later.
  package init(
    loop: any DescriptorLoop, descriptor: CInt, packet: (read: Int, write: Int)? = nil, acknowledgesAtOnce: Bool = false
  ) {
    (self.loop, self.packet, self.acknowledgesAtOnce) = (loop, packet, acknowledgesAtOnce)
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    state = Mutex(State(descriptor: descriptor))
  }

  deinit { close() }

  /// An end, and the socket of the other end to be passed on; nil if this process has too many descriptors.
  package static func pair(on loop: any DescriptorLoop) -> (own: DescriptorStream, other: CInt)? {
    var ends: [CInt] = [-1, -1]
    guard unsafe socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      return nil
    }
    return (DescriptorStream(loop: loop, descriptor: ends[0]), ends[1])
  }

  package func read(upTo limit: Int) -> [UInt8]? {
    state.withLock { state -> [UInt8]? in
      guard state.descriptor >= 0 else { return nil }
      // The kernel forgets the option.
      if acknowledgesAtOnce { SocketOption.set(TCP_QUICKACK, of: CInt(IPPROTO_TCP), to: 1, on: state.descriptor) }
      return unsafe withUnsafeTemporaryAllocation(byteCount: packet?.read ?? limit, alignment: 1) { buffer in
        var count = unsafe recv(state.descriptor, buffer.baseAddress, buffer.count, CInt(MSG_DONTWAIT))
        if count < 0, errno == ENOTSOCK {
          count = unsafe Glibc.read(state.descriptor, buffer.baseAddress, buffer.count)
        }
        // An empty packet reads as the end does, and may be the last before it.
        while count == 0, packet != nil {
          let isOpen = !Self.hasEnded(state.descriptor)
          count = unsafe recv(state.descriptor, buffer.baseAddress, buffer.count, CInt(MSG_DONTWAIT))
          if count == 0, !isOpen { return nil }
        }
        if count > 0 { return unsafe Array(buffer[..<count]) }
        return count < 0 && (errno == EAGAIN || errno == EINTR) ? [] : nil
      }
    }
  }

  /// POLLRDHUP, which the headers do not expose to Swift.
  private static let readHangUp: Int16 = 0x2000

  /// Whether the other side has closed or the connection has ended; bytes that were sent before can still be read.
  package var hasEnded: Bool { state.withLock { $0.descriptor < 0 || Self.hasEnded($0.descriptor) } }

  private static func hasEnded(_ descriptor: CInt) -> Bool {
    var wanted = pollfd(fd: descriptor, events: readHangUp, revents: 0)
    return unsafe poll(&wanted, 1, 0) > 0
  }

  package func write(_ bytes: ArraySlice<UInt8>) -> Int? {
    state.withLock { state -> Int? in
      guard state.descriptor >= 0 else { return nil }
      let flags = CInt(MSG_NOSIGNAL | MSG_DONTWAIT)
      let count = unsafe bytes.withUnsafeBytes { bytes in
        let sent = unsafe send(
          state.descriptor, bytes.baseAddress, min(bytes.count, packet?.write ?? bytes.count), flags)
        guard sent < 0, errno == ENOTSOCK else { return sent }
        return unsafe Glibc.write(state.descriptor, bytes.baseAddress, bytes.count)
      }
      if count >= 0 { return count }
      return errno == EAGAIN || errno == EINTR ? 0 : nil
    }
  }

  package func wait(for readiness: Readiness, _ body: @escaping @Sendable () -> Void) {
    // The former waiter is released outside of the lock: it may hold the last reference to the stream.
    _ = state.withLock { state -> (@Sendable () -> Void)? in
      let former = state.waiter
      let isWaiting = state.descriptor >= 0 && !readiness.isEmpty
      state.waiter = isWaiting ? body : nil
      if !isWaiting || state.readiness != readiness { state.endWatch() }
      if isWaiting, state.watch == nil {
        state.readiness = readiness
        state.watch = loop.watch(descriptor: state.descriptor, for: readiness) { [weak self] _ in self?.isReady() }
      }
      return former
    }
  }

  private func isReady() {
    let waiter = state.withLock { state in
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?()
    state.withLock { state in
      if state.waiter == nil { state.endWatch() }
    }
  }

  package func close() {
    _ = state.withLock { state -> (@Sendable () -> Void)? in
      guard state.descriptor >= 0 else { return nil }
      let former = state.waiter
      state.waiter = nil
      state.endWatch()
      if packet == nil {
        Glibc.close(state.descriptor)
      } else {
        Self.closeWhenSent(state.descriptor, on: loop, tries: Self.closingTries)
      }
      state.descriptor = -1
      return former
    }
  }

  /// The number of looks at the send buffer before a channel is closed anyway, after two seconds.
  private static let closingTries = 100
  private static let closingPause = Duration.milliseconds(20)

  /// Closes a socket once its bytes are sent: the kernel drops unsent bytes when an L2CAP socket is closed.
  private static func closeWhenSent(_ descriptor: CInt, on loop: any DescriptorLoop, tries: Int) {
    guard tries > 0, hasUnsentBytes(descriptor) else { return _ = Glibc.close(descriptor) }
    Task(executorPreference: loop.tasks) {
      try? await loop.sleep(for: closingPause)
      closeWhenSent(descriptor, on: loop, tries: tries - 1)
    }
  }

  /// Whether the kernel has unsent bytes: SIOCOUTQ returns the room in the send buffer of a Bluetooth socket.
  private static func hasUnsentBytes(_ descriptor: CInt) -> Bool {
    var (family, buffer, room): (CInt, CInt, CInt) = (0, 0, 0)
    var size = socklen_t(MemoryLayout<CInt>.size)
    guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &family, &size) == 0, family == 31,  // AF_BLUETOOTH
      unsafe ioctl(descriptor, UInt(TIOCOUTQ), &room) == 0,
      unsafe getsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &buffer, &size) == 0
    else { return false }
    return room < buffer
  }
}
