import Glibc
import Synchronization

/// A stream socket over which both sides send lines.
///
/// Sending does not block: bytes that the socket does not accept at once are kept and sent later. The socket is shut
/// down when the other side reads nothing and more is pending than the budget allows.
package final class LineSocket: Sendable {
  package enum Event: Hashable, Sendable {
    /// A line without its line feed.
    case line([UInt8])
    /// A line is longer than `maximumLine`; reading has stopped.
    case lineTooLong
    /// A line is longer than what other connections leave of the budget; reading has stopped.
    case budgetUsed
    /// All output that had to wait has been sent.
    case drained
    /// The other side has closed or stopped sending; sent bytes may still reach it.
    case ended
  }

  package typealias Handler = @Sendable (Event) -> Void

  /// The maximum number of lines in one turn of the loop, so that many lines do not delay other work of the loop.
  static let linesInTurn = 16
  /// The maximum number of bytes that wait to be sent together with the answers to other lines.
  private static let longestDelay = 1 << 16

  let loop: any DescriptorLoop
  let maximumLine: Int
  let budget: SharedMemoryBudget
  let receivesDescriptors: Bool
  let state: Mutex<State>

  struct State {
    /// -1 after closing.
    var descriptor: CInt
    var handler: Handler?
    var input: [UInt8] = []
    /// The number of input bytes in lines already delivered.
    var taken = 0
    /// The number of input bytes already searched for line feeds.
    var searched = 0
    var output: [UInt8] = []
    /// The numbers of bytes that the budget counts for this socket.
    var counted = (input: 0, output: 0)
    var reader: (any LoopTimer)?
    var writer: (any LoopTimer)?
    /// Descriptors to be sent with the byte of `output` at `place`, and closed then.
    var passed: [(place: Int, descriptor: CInt)] = []
    /// Descriptors that have been received, if this socket receives any.
    var received: [CInt] = []
    /// Whether lines are being delivered: bytes that are offered meanwhile are sent together afterwards.
    var isDelivering = false
    /// Delivers more lines, before more are read.
    var nextDelivery: (any LoopTimer)?
    /// Whether lines stay where they are until `resume`.
    var isPaused = false
    /// Whether nothing more is read.
    var hasEnded = false
    /// See `unreceivedLines`.
    var unreceived = 0
    /// Whether only pending output is still sent.
    var isClosing = false
  }

  /// Takes ownership of a connected socket.
  ///
  /// - Parameters:
  ///   - maximumLine: in bytes.
  ///   - budget: shared with other sockets.
  ///   - receivesDescriptors: whether descriptors that come with lines are kept for `takeStream`.
  package init(
    loop: any DescriptorLoop, descriptor: CInt, maximumLine: Int,
    budget: SharedMemoryBudget = SharedMemoryBudget(), receivesDescriptors: Bool = false
  ) {
    self.loop = loop
    self.maximumLine = maximumLine
    self.budget = budget
    self.receivesDescriptors = receivesDescriptors
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    state = Mutex(State(descriptor: descriptor))
  }

  deinit { state.withLock { end(&$0) } }

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

  /// Sends bytes unless the other side has left so much unread that the budget has no room for them: then returns
  /// false, and the handler receives `drained` later.
  package func offer(_ bytes: [UInt8]) -> Bool {
    state.withLock { state in
      guard !state.isClosing, state.descriptor >= 0 else { return true }
      let count = state.output.count + bytes.count
      if !state.output.isEmpty {
        guard budget.change(.events, from: state.counted.output, to: count) else { return false }
        state.counted.output = count
      }
      state.output += bytes
      if !state.isDelivering, state.writer == nil { flush(&state) }
      return true
    }
  }

  /// Makes a stream whose other end goes to the other side with the next line; nil if this process has too many
  /// descriptors.
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

  /// Closes the socket; pending output is still sent, and the handler is not called again.
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

  /// After the end: how many of the last lines the other side has certainly not read as a whole. More lines may be
  /// unread.
  package var unreceivedLines: Int { state.withLock { $0.unreceived } }

  /// The process at the other end at the time of connecting; nil if the kernel does not report it.
  package var peer: PeerProcess? { state.withLock { PeerProcess(of: $0.descriptor) } }

  /// Continues with output that had to wait.
  private func write() {
    let handler = state.withLock { state -> Handler? in
      flush(&state)
      guard state.output.isEmpty else { return nil }
      state.writer?.cancel()
      state.writer = nil
      return state.handler
    }
    handler?(.drained)
  }

  func flush(_ state: inout State) {
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
      guard errno == EAGAIN, budget.change(.output, from: state.counted.output, to: state.output.count) else {
        // The reader receives the end of the stream.
        state.unreceived = state.output.count { $0 == UInt8(ascii: "\n") }
        state.output = []
        Self.closeDescriptors(&state)
        shutdown(state.descriptor, CInt(SHUT_RDWR))
        break
      }
      state.counted.output = state.output.count
      // Pending output is sent even if the socket is no longer referenced.
      if state.writer == nil {
        state.writer = loop.watch(descriptor: state.descriptor, for: .writing) { _ in self.write() }
      }
      return
    }
    Self.shrink(&state.output)
    _ = budget.change(.output, from: state.counted.output, to: 0)
    state.counted.output = 0
    if state.isClosing { end(&state) }
  }

  private func end(_ state: inout State) {
    guard state.descriptor >= 0 else { return }
    state.reader?.cancel()
    state.writer?.cancel()
    (state.reader, state.writer, state.nextDelivery) = (nil, nil, nil)
    Glibc.close(state.descriptor)
    state.descriptor = -1
    _ = budget.change(.input, from: state.counted.input, to: 0)
    _ = budget.change(.output, from: state.counted.output, to: 0)
    state.counted = (0, 0)
    Self.closeDescriptors(&state)
  }

  /// Gives the memory of a long line or of much output back.
  static func shrink(_ bytes: inout [UInt8]) {
    guard bytes.capacity > longestDelay * 2, bytes.count <= longestDelay else { return }
    var copy: [UInt8] = []
    copy += bytes
    bytes = copy
  }

  private static func closeDescriptors(_ state: inout State) {
    for descriptor in state.passed.map(\.descriptor) + state.received { Glibc.close(descriptor) }
    (state.passed, state.received) = ([], [])
  }
}
