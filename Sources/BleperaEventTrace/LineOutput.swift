import Dispatch
import Glibc
import Synchronization

/// Lines for a file, a pipe or a terminal, whose reader cannot stop the caller.
///
/// A line is written at once where that cannot block. Otherwise it waits for a thread that writes, together with at most
/// `limit` bytes; of further lines only the number is kept, and a line that tells it takes their place.
package final class LineOutput: Sendable {
  /// In bytes: some thousands of events.
  package static let limit = 1 << 20
  /// Beyond so many writes of the thread, each soon after the one before, it pauses after each, so that the lines of
  /// many events are one write, and do not wake it one by one.
  private static let burst = 8
  /// Too short to be seen.
  private static let pause = DispatchTimeInterval.milliseconds(5)
  /// A write follows another soon within this time.
  private static let burstInterval = Duration.milliseconds(10)
  /// What ends a pause, in bytes.
  private static let fullPause = 1 << 15
  /// How long `flush` waits for a reader.
  private static let flushTimeout = DispatchTimeInterval.seconds(2)

  private let descriptor: CInt
  private let omission: @Sendable (Int) -> [UInt8]
  private let failed: @Sendable (CInt) -> Void
  private let kind: Kind
  private let queue = DispatchQueue(label: "blepera output")
  private let state = Mutex(State())
  private let pauseEnd = DispatchSemaphore(value: 0)

  /// Whether a write can block.
  private enum Kind {
    case never
    /// Not for up to `PIPE_BUF` bytes while poll says that the pipe is writable (pipe(7)).
    case pipe
    case always

    init(_ descriptor: CInt) {
      var status = stat()
      let isKnown = unsafe fstat(descriptor, &status) == 0
      switch status.st_mode & S_IFMT {
      case S_IFIFO where isKnown: self = .pipe
      case S_IFSOCK where isKnown: self = .always
      default: self = isatty(descriptor) == 1 ? .always : .never
      }
    }
  }

  private struct State {
    var waiting: [UInt8] = []
    /// What the thread is writing.
    var underWay: [UInt8] = []
    /// The number of lines in both, without those of omissions.
    var count = (waiting: 0, underWay: 0)
    var omitted = 0
    var isWriting = false
    /// The thread's last write, and how many there were, each soon after the one before.
    var lastWrite = ContinuousClock.now
    var writes = 0
    var isPausing = false
    var hasFailed = false
  }

  /// - Parameters:
  ///   - descriptor: stays the caller's, and open for as long as lines wait.
  ///   - omission: the line for a number of lines that were omitted.
  ///   - failed: called once with the error of a line that cannot be written; later lines are discarded.
  package convenience init(
    _ descriptor: CInt, omission: @escaping @Sendable (Int) -> String,
    failed: @escaping @Sendable (CInt) -> Void = { _ in }
  ) {
    self.init(descriptor, omission: { Array((omission($0) + "\n").utf8) }, failed: failed)
  }

  /// - Parameter omission: the bytes for a number of writes that were omitted.
  init(
    _ descriptor: CInt, omission: @escaping @Sendable (Int) -> [UInt8], failed: @escaping @Sendable (CInt) -> Void
  ) {
    self.descriptor = descriptor
    self.omission = omission
    self.failed = failed
    kind = Kind(descriptor)
  }

  /// - Parameter line: without its line feed.
  package func print(_ line: String) { write(Array((line + "\n").utf8)) }

  /// Prints lines in one write.
  package func print(_ lines: [String]) {
    var bytes: [UInt8] = []
    for line in lines {
      bytes += line.utf8
      bytes.append(UInt8(ascii: "\n"))
    }
    write(bytes, count: lines.count)
  }

  /// - Parameters:
  ///   - bytes: what is written or omitted as a whole.
  ///   - count: how many lines an omission of it counts for.
  func write(_ bytes: [UInt8], count: Int = 1) {
    let failure = state.withLock { state -> CInt? in
      guard !state.hasFailed else { return nil }
      if !state.isWriting, canWrite(bytes.count) { return write(bytes, &state) }
      // Where lines have been omitted, more are until half of the room is free: one line tells of all.
      let room = state.omitted > 0 ? Self.limit / 2 : Self.limit
      guard state.underWay.count + state.waiting.count + bytes.count <= room else {
        state.omitted += count
        return nil
      }
      noteOmission(&state)
      state.waiting += bytes
      state.count.waiting += count
      if state.isPausing, state.waiting.count >= Self.fullPause {
        state.isPausing = false
        pauseEnd.signal()
      }
      guard !state.isWriting else { return nil }
      state.isWriting = true
      queue.async { self.writeWaiting() }
      return nil
    }
    if let failure { failed(failure) }
  }

  /// Returns when all lines are written, or after two seconds; then how many were not, some of which may have been.
  @discardableResult
  package func flush() -> Int {
    let end = DispatchSemaphore(value: 0)
    queue.async { end.signal() }
    guard end.wait(timeout: .now() + Self.flushTimeout) == .timedOut else { return 0 }
    return state.withLock { state in
      state.hasFailed = true
      return state.omitted + state.count.underWay + state.count.waiting
    }
  }

  private func canWrite(_ count: Int) -> Bool {
    switch kind {
    case .never: return true
    case .always: return false
    case .pipe:
      var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      guard count <= PIPE_BUF, unsafe Glibc.poll(&poll, 1, 0) == 1 else { return false }
      return poll.revents & Int16(POLLOUT) != 0
    }
  }

  private func noteOmission(_ state: inout State) {
    guard state.omitted > 0 else { return }
    state.waiting += omission(state.omitted)
    state.omitted = 0
  }

  private func writeWaiting() {
    while true {
      let (bytes, isBurst) = state.withLock { state -> ([UInt8], Bool) in
        noteOmission(&state)
        state.underWay = state.waiting
        state.waiting = []
        state.count = (0, state.count.waiting)
        state.isWriting = !state.underWay.isEmpty
        let now = ContinuousClock.now
        state.writes = now - state.lastWrite < Self.burstInterval ? state.writes + 1 : 0
        state.lastWrite = now
        return (state.underWay, state.writes > Self.burst)
      }
      guard !bytes.isEmpty else { return }
      if let failure = Self.write(bytes, to: descriptor) {
        state.withLock { $0 = State(hasFailed: true) }
        return failed(failure)
      }
      if isBurst { pauseWriting() }
    }
  }

  private func pauseWriting() {
    let isFull = state.withLock { state in
      // What is written takes no room.
      (state.underWay, state.count.underWay) = ([], 0)
      state.isPausing = state.waiting.count < Self.fullPause
      return !state.isPausing
    }
    guard !isFull, pauseEnd.wait(timeout: .now() + Self.pause) == .timedOut else { return }
    let wasEnded = state.withLock { state in
      defer { state.isPausing = false }
      return !state.isPausing
    }
    // The end has come with the timeout.
    if wasEnded { pauseEnd.wait() }
  }

  private func write(_ bytes: [UInt8], _ state: inout State) -> CInt? {
    let failure = Self.write(bytes, to: descriptor)
    state.hasFailed = failure != nil
    return failure
  }

  /// A closed pipe ends the process by SIGPIPE.
  private static func write(_ bytes: [UInt8], to descriptor: CInt) -> CInt? {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return errno }
      rest = rest.dropFirst(count)
    }
    return nil
  }
}
