package import Glibc
import Synchronization

/// A stream socket over which both sides send lines.
///
/// Sending does not block: bytes that the socket does not accept at once are kept and sent later. The socket is shut
/// down when the peer accepts nothing while more than `maximumOutput` bytes are pending.
package final class LineSocket: Sendable {
  package enum Event: Hashable, Sendable {
    /// A line without its line feed.
    case line([UInt8])
    /// A line is longer than `maximumLine`; reading has stopped.
    case lineTooLong
    /// The other side has closed or stopped sending; sent bytes may still reach it.
    case ended
  }

  package typealias Handler = @Sendable (Event) -> Void

  /// How many lines are delivered in one turn of the loop: many lines do not delay what else runs there.
  private static let linesInTurn = 16
  /// The most that waits to be sent with the answers to other lines, in bytes.
  private static let longestDelay = 1 << 16

  private let loop: any DescriptorLoop
  private let maximumLine: Int
  private let maximumOutput: Int
  private let receivesDescriptors: Bool
  private let state: Mutex<State>

  private struct State {
    /// -1 after closing.
    var descriptor: CInt
    var handler: Handler?
    var input: [UInt8] = []
    /// The number of input bytes in lines already delivered.
    var taken = 0
    /// The number of input bytes already searched for line feeds.
    var searched = 0
    var output: [UInt8] = []
    var reader: (any LoopTimer)?
    var writer: (any LoopTimer)?
    /// Descriptors to be sent with the byte of `output` at that place, and closed then.
    var passed: [(place: Int, descriptor: CInt)] = []
    /// Descriptors that have been received, if this socket receives any.
    var received: [CInt] = []
    /// Whether lines are being delivered: what is sent meanwhile is sent together after them.
    var isDelivering = false
    /// Delivers more lines, before more are read.
    var nextDelivery: (any LoopTimer)?
    /// Whether only pending output is still sent.
    var isClosing = false
  }

  /// Takes ownership of a connected socket.
  ///
  /// - Parameters:
  ///   - maximumLine: in bytes.
  ///   - maximumOutput: in bytes.
  ///   - receivesDescriptors: whether descriptors that come with lines are kept for `takeStream`.
  package init(
    loop: any DescriptorLoop, descriptor: CInt, maximumLine: Int, maximumOutput: Int = 16 << 20,
    receivesDescriptors: Bool = false
  ) {
    self.loop = loop
    self.maximumLine = maximumLine
    self.maximumOutput = maximumOutput
    self.receivesDescriptors = receivesDescriptors
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    state = Mutex(State(descriptor: descriptor))
  }

  deinit { state.withLock { Self.end(&$0) } }

  /// Starts reading; calls `handler` on the loop's thread instead of any previous handler.
  package func handle(_ handler: @escaping Handler) {
    state.withLock { state in
      guard state.descriptor >= 0, !state.isClosing else { return }
      state.handler = handler
      guard state.reader == nil else { return }
      state.reader = loop.watch(descriptor: state.descriptor, for: .reading) { [weak self] _ in self?.receive() }
    }
  }

  package func send(_ bytes: [UInt8]) {
    state.withLock { state in
      guard !state.isClosing, state.descriptor >= 0 else { return }
      state.output += bytes
      if !state.isDelivering || state.output.count >= Self.longestDelay { flush(&state) }
    }
  }

  /// Makes a stream of which the other side receives its end with the line that is sent next; nil if this process has
  /// too many descriptors.
  package func passStream() -> DescriptorStream? {
    guard let (own, other) = DescriptorStream.pair(on: loop) else { return nil }
    state.withLock { state in
      guard state.descriptor >= 0 else { return _ = Glibc.close(other) }
      state.passed.append((state.output.count, other))
    }
    return own
  }

  /// The stream that came first with a line and was not taken yet.
  package func takeStream() -> DescriptorStream? {
    let descriptor = state.withLock { $0.received.isEmpty ? nil : $0.received.removeFirst() }
    return descriptor.map { DescriptorStream(loop: loop, descriptor: $0) }
  }

  /// Pending output is still sent; the handler is not called again.
  package func close() {
    state.withLock { state in
      guard state.descriptor >= 0 else { return }
      state.isClosing = true
      state.handler = nil
      state.reader?.cancel()
      (state.reader, state.nextDelivery) = (nil, nil)
      flush(&state)
    }
  }

  /// The process at the other end at the time of connecting; nil if the kernel does not report it.
  package var peer: PeerProcess? { state.withLock { PeerProcess(of: $0.descriptor) } }

  private func receive() {
    let (count, code) = state.withLock { state -> (Int, CInt) in
      guard state.descriptor >= 0, !state.isClosing, state.nextDelivery == nil else { return (-1, EAGAIN) }
      return unsafe withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { buffer in
        let count =
          receivesDescriptors
          ? unsafe DescriptorMessage.receive(buffer, from: state.descriptor, &state.received)
          : unsafe read(state.descriptor, buffer.baseAddress, buffer.count)
        let code = errno
        if count > 0 { unsafe state.input.append(contentsOf: buffer[..<count]) }
        return (count, code)
      }
    }
    if count > 0 { return deliverLines() }
    if count < 0, code == EAGAIN || code == EINTR { return }
    endReading(.ended)
  }

  private func deliverLines() {
    state.withLock { state in
      state.nextDelivery = nil
      state.isDelivering = true
    }
    var delivered = 0
    while let (event, handler) = nextEvent(after: delivered) {
      if event == .lineTooLong { return endReading(event) }
      handler?(event)
      delivered += 1
    }
  }

  /// The next line; nil where it is incomplete or the next turn's.
  private func nextEvent(after delivered: Int) -> (Event, Handler?)? {
    state.withLock { state in
      let end = state.input[state.searched...].firstIndex(of: UInt8(ascii: "\n"))
      if let end, delivered < Self.linesInTurn {
        defer { (state.taken, state.searched) = (end + 1, end + 1) }
        return (.line(Array(state.input[state.taken..<end])), state.handler)
      }
      state.isDelivering = false
      if state.descriptor >= 0, !state.output.isEmpty { flush(&state) }
      if end != nil, state.handler != nil {
        state.nextDelivery = loop.schedule(after: .zero) { [weak self] in self?.deliverLines() }
        return nil
      }
      // Delivered lines are removed once per read.
      state.input.removeFirst(state.taken)
      (state.taken, state.searched) = (0, state.input.count)
      return state.input.count > maximumLine ? (.lineTooLong, state.handler) : nil
    }
  }

  private func endReading(_ event: Event) {
    let handler = state.withLock { state in
      state.reader?.cancel()
      state.input = []
      (state.taken, state.searched) = (0, 0)
      return state.handler
    }
    handler?(event)
  }

  private func flush(_ state: inout State) {
    while !state.output.isEmpty {
      // A descriptor goes with a byte of its own line.
      let passed = state.passed.first
      let end = passed.map { $0.place == 0 ? 1 : $0.place } ?? state.output.count
      let count = unsafe state.output[..<end].withUnsafeBytes { bytes in
        if let passed, passed.place == 0 {
          return unsafe DescriptorMessage.send(bytes, with: passed.descriptor, to: state.descriptor)
        }
        return unsafe Glibc.send(state.descriptor, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
      }
      if count > 0 {
        if let passed, passed.place == 0 {
          Glibc.close(passed.descriptor)
          state.passed.removeFirst()
        }
        for index in state.passed.indices { state.passed[index].place -= count }
        state.output.removeFirst(count)
        continue
      }
      if errno == EINTR { continue }
      guard errno == EAGAIN, state.output.count <= maximumOutput else {
        // The reader receives the end of the stream.
        state.output = []
        Self.closeDescriptors(&state)
        shutdown(state.descriptor, CInt(SHUT_RDWR))
        break
      }
      // Pending output is sent even if the socket is no longer referenced.
      if state.writer == nil {
        state.writer = loop.watch(descriptor: state.descriptor, for: .writing) { _ in
          self.state.withLock { self.flush(&$0) }
        }
      }
      return
    }
    state.writer?.cancel()
    state.writer = nil
    if state.isClosing { Self.end(&state) }
  }

  private static func end(_ state: inout State) {
    guard state.descriptor >= 0 else { return }
    state.reader?.cancel()
    state.writer?.cancel()
    (state.reader, state.writer, state.nextDelivery) = (nil, nil, nil)
    Glibc.close(state.descriptor)
    state.descriptor = -1
    closeDescriptors(&state)
  }

  private static func closeDescriptors(_ state: inout State) {
    for descriptor in state.passed.map(\.descriptor) + state.received { Glibc.close(descriptor) }
    (state.passed, state.received) = ([], [])
  }
}

/// The process at the other end of a Unix socket.
package struct PeerProcess: Hashable, Sendable {
  package let process: pid_t
  package let user: uid_t

  /// SO_PEERCRED returns a `struct ucred`, which the headers do not expose to Swift: three 32-bit numbers.
  init?(of descriptor: CInt) {
    var credentials: [UInt32] = [0, 0, 0]
    var size = socklen_t(MemoryLayout<UInt32>.stride * credentials.count)
    guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 else { return nil }
    process = pid_t(bitPattern: credentials[0])
    user = credentials[1]
  }
}
