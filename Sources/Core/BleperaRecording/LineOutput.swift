import Dispatch
import Glibc
import Synchronization

/// Lines for a file, a pipe or a terminal, whose reader cannot stop the caller.
///
/// A line is written at once where that cannot block. Otherwise it waits for a thread that writes, together with at
/// most `limit` bytes; of further lines only the number is kept, and a line with the number takes their place. So it is
/// with lines that cannot be written, where each line is tried.
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
  /// The number of waiting bytes that ends a pause.
  private static let fullPause = 1 << 15

  private let descriptor: CInt
  private let omission: @Sendable (Int) -> [UInt8]
  /// Nil where each line is tried, whatever became of the one before.
  private let failed: (@Sendable (CInt) -> Void)?
  private let shortcut: Shortcut
  private let queue = DispatchQueue(label: "blepera output")
  private let state = Mutex(State())
  private let pauseEnd = DispatchSemaphore(value: 0)

  /// How a line is written without the thread.
  private enum Shortcut {
    /// The descriptor never blocks.
    case descriptor
    /// Up to `PIPE_BUF` bytes, all or none (pipe(7)), through an open file description of our own that does not block.
    /// To ask poll(2) first would not do: others write to the pipe too.
    case pipe(CInt)
    case none

    init(_ descriptor: CInt) {
      var status = stat()
      let isKnown = unsafe fstat(descriptor, &status) == 0
      switch status.st_mode & S_IFMT {
      case S_IFIFO where isKnown:
        let own = unsafe open("/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        self = own >= 0 ? .pipe(own) : .none
      case S_IFSOCK where isKnown: self = .none
      default: self = isatty(descriptor) == 1 ? .none : .descriptor
      }
    }
  }

  private struct State {
    var waiting: [UInt8] = []
    /// The bytes that the thread is writing.
    var underWay: [UInt8] = []
    /// The number of lines that are lost with both, with those that their omissions stand for.
    var count = (waiting: 0, underWay: 0)
    var omitted = 0
    /// Whether the last line was written in part.
    var isTorn = false
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
  ///   - failed: called once with the error of a line that cannot be written; later lines are discarded. Nil for a log,
  ///     for which each line is tried, and an omission stands for those that could not be written.
  package convenience init(
    _ descriptor: CInt, omission: @escaping @Sendable (Int) -> String, failed: (@Sendable (CInt) -> Void)? = nil
  ) {
    self.init(descriptor, omission: { Array((omission($0) + "\n").utf8) }, failed: failed)
  }

  /// - Parameter omission: the bytes for a number of writes that were omitted.
  init(
    _ descriptor: CInt, omission: @escaping @Sendable (Int) -> [UInt8], failed: (@Sendable (CInt) -> Void)?
  ) {
    self.descriptor = descriptor
    self.omission = omission
    self.failed = failed
    shortcut = Shortcut(descriptor)
  }

  deinit { if case .pipe(let own) = shortcut { close(own) } }

  /// - Parameter line: without its line feed.
  package func print(_ line: String) { print([line]) }

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
  package func write(_ bytes: [UInt8], count: Int = 1) {
    let failure = state.withLock { state -> CInt? in
      guard !state.hasFailed else { return nil }
      if !state.isWriting {
        switch writeNow(bytes, &state) {
        case .done: return nil
        case .failed(let code): return code
        case .wouldBlock: break
        }
      }
      // Once lines are omitted, more are omitted until half of the room is free, so that one line counts them all.
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
    if let failure { failed?(failure) }
  }

  /// Returns when all lines are written, or at the deadline; then how many were not, some of which may have been.
  @discardableResult
  package func flush(until deadline: ContinuousClock.Instant = .now + .seconds(1)) -> Int {
    let end = DispatchSemaphore(value: 0)
    queue.async { end.signal() }
    let rest = Int(max(.zero, deadline - .now) / .milliseconds(1))
    guard end.wait(timeout: .now() + .milliseconds(rest)) == .timedOut else { return 0 }
    return state.withLock { state in
      state.hasFailed = true
      return state.omitted + state.count.underWay + state.count.waiting
    }
  }

  private enum Attempt {
    /// The bytes are written, or counted where this is a log.
    case done
    case failed(CInt)
    case wouldBlock
  }

  /// Writes without the thread where that cannot block.
  private func writeNow(_ bytes: [UInt8], _ state: inout State) -> Attempt {
    let lineFeed = UInt8(ascii: "\n")
    let beginning = (state.isTorn ? [lineFeed] : []) + (state.omitted > 0 ? omission(state.omitted) : [])
    // Nearly always there is none, and a copy takes time.
    let all = beginning.isEmpty ? bytes : beginning + bytes
    let (written, code): (Int, CInt?)
    switch shortcut {
    case .descriptor: (written, code) = Self.write(all, to: descriptor)
    case .pipe(let own) where all.count <= PIPE_BUF: (written, code) = Self.write(all, to: own, waits: false)
    case .pipe, .none: return .wouldBlock
    }
    if code == EAGAIN { return .wouldBlock }
    guard let code else {
      (state.omitted, state.isTorn) = (0, false)
      return .done
    }
    guard failed == nil else {
      state.hasFailed = true
      return .failed(code)
    }
    if written > 0 { state.isTorn = all[written - 1] != lineFeed }
    if written >= beginning.count { state.omitted = 0 }
    state.omitted += all[max(written, beginning.count)...].count { $0 == lineFeed }
    return .done
  }

  private func noteOmission(_ state: inout State) {
    guard state.omitted > 0 else { return }
    state.waiting += omission(state.omitted)
    state.count.waiting += state.omitted
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
      if let failure = Self.write(bytes, to: descriptor).failure {
        state.withLock { state in
          let lost = state.count.underWay + state.count.waiting + state.omitted
          state = failed == nil ? State(omitted: lost) : State(hasFailed: true)
        }
        failed?(failure)
        return
      }
      if isBurst { pauseWriting() }
    }
  }

  private func pauseWriting() {
    let isFull = state.withLock { state in
      // Written bytes no longer count against `limit`.
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

  /// Writes all bytes, unless there is an error. A closed pipe ends the process by SIGPIPE.
  ///
  /// - Parameter waits: whether a descriptor that does not block is waited for.
  package static func write(
    _ bytes: [UInt8], to descriptor: CInt, waits: Bool = true
  ) -> (written: Int, failure: CInt?) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if count < 0, errno == EAGAIN, waits {
        var readiness = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        unsafe poll(&readiness, 1, -1)
      } else if count == 0 || errno != EINTR {
        return (bytes.count - rest.count, errno)
      }
    }
    return (bytes.count, nil)
  }
}
