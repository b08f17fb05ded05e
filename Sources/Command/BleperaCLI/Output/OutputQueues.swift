import ArgumentParser
import BleperaAppLink
import BleperaEventLoop
package import BleperaRecording
import Glibc
import Synchronization

/// The queues of standard output and standard error.
///
/// A command that runs a phone or handles signals itself must not wait for a slow reader, so it queues its lines from
/// `begin` on. Any other command writes directly, and a signal ends it.
package enum OutputQueues {
  private struct State {
    var queues: [Terminal.Stream: LineOutput] = [:]
    var hasFailed = false
  }

  private static let state = Mutex(State())
  /// The time after which unread lines are dropped: a second after the command has begun to end.
  private static let deadline = ContinuousClock.now + .seconds(1)
  /// The shortest time that the last errors wait for a reader.
  private static let errorTimeout = Duration.milliseconds(200)

  /// Whether standard output or a recording could not be written; the command then ends with status 1.
  package static var hasFailed: Bool { state.withLock { $0.hasFailed } }

  /// Reports a trace or a capture that is incomplete.
  @Sendable package static func fail(_ failure: RecordingFailure) {
    CommandFailure.report("\(failure)")
    state.withLock { $0.hasFailed = true }
  }

  /// - Parameter isJSON: whether the lines are events in JSON, so that the number of omitted lines is an event too.
  static func begin(_ stream: Terminal.Stream, isJSON: Bool = false) {
    let terminal = Terminal(stream)
    let queue = LineOutput(
      stream.descriptor,
      omission: { count in
        let record = EventRecord.omitted(count)
        return isJSON ? record.json : EventPrinter.text(record, at: .now, on: terminal)
      }, failed: stream == .error || isLog ? nil : fail)
    state.withLock { $0.queues[stream] = queue }
    if stream == .error { atexit { OutputQueues.flushErrors() } }
  }

  /// - Parameter count: the number of lines.
  static func write(_ bytes: [UInt8], _ count: Int, to stream: Terminal.Stream) {
    if let queue = state.withLock({ $0.queues[stream] }) { return queue.write(bytes, count: count) }
    guard let code = LineOutput.write(bytes, to: stream.descriptor).failure, stream == .output else { return }
    // A closed pipe ends the process by SIGPIPE, unless the signal is ignored.
    if code != EPIPE { fail(code) }
  }

  /// Waits until the last line of standard output is written, for a second at most, and reports lost lines.
  ///
  /// - Returns: the deadline for the other files of the command.
  @discardableResult
  static func finish() -> ContinuousClock.Instant {
    let count = state.withLock { $0.queues[.output] }?.flush(until: deadline) ?? 0
    if count > 0 { CommandFailure.report("\(count) of the last events were not printed: nobody reads the output.") }
    return deadline
  }

  private static func flushErrors() {
    state.withLock { $0.queues[.error] }?.flush(until: max(deadline, .now + errorTimeout))
  }

  /// Whether standard output and standard error are one file, such as the log of an app that the phone has started.
  private static var isLog: Bool {
    var (output, error) = (stat(), stat())
    return unsafe fstat(STDOUT_FILENO, &output) == 0 && fstat(STDERR_FILENO, &error) == 0
      && output.st_mode & S_IFMT == S_IFREG && output.st_dev == error.st_dev && output.st_ino == error.st_ino
  }

  /// Ends a session as Ctrl-C does, and anything else at once.
  @Sendable private static func fail(_ code: CInt) {
    let isFirst = state.withLock { state in
      defer { state.hasFailed = true }
      return !state.hasFailed
    }
    guard isFirst else { return }
    CommandFailure.report("cannot write to standard output: \(unsafe String(cString: strerror(code)))")
    guard TerminationSignals.action(of: SIGINT) == .handled else { exit(ExitCode.failure.rawValue) }
    kill(getpid(), SIGINT)
  }
}
