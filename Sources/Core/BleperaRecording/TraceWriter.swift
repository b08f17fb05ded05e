import BleperaAppLink
import Glibc

/// Writes a trace to a file. Each line is written at once, so that the trace is complete however the process ends; of a
/// pipe that nobody reads, lines are omitted instead (`LineOutput`).
package final class TraceWriter: Sendable {
  private let path: String
  private let descriptor: CInt
  private let output: LineOutput
  private let fail: @Sendable (RecordingFailure) -> Void

  /// Opens the file, which may be a trace that is overwritten; any other file is refused. A new one is for its user
  /// alone: a trace has every value, and passkeys.
  ///
  /// - Parameter fail: called once, for the first line that cannot be written; later lines are discarded.
  package init(
    _ path: String, fail: @escaping @Sendable (RecordingFailure) -> Void
  ) throws(RecordingFailure) {
    let file = try RecordingFile.open(path, kind: "a trace") { start in
      TraceFile.isHeader(start.prefix { $0 != UInt8(ascii: "\n") })
    }
    self.path = path
    self.fail = fail
    descriptor = file
    output = LineOutput(file) { count in
      EventRecord.omitted(count).json
    } failed: { code in
      fail(RecordingFailure(path: path, reason: "the trace is incomplete: \(RecordingFile.text(code))"))
    }
  }

  deinit { close(descriptor) }

  package func begin(_ header: TraceHeader) { write(header.json) }

  /// - Parameter line: a JSON object.
  package func write(_ line: String) { output.print(line) }

  /// Waits until the last line is written or the deadline has come.
  package func flush(until deadline: ContinuousClock.Instant = .now + .seconds(1)) {
    let count = output.flush(until: deadline)
    if count > 0 { fail(RecordingFailure(path: path, reason: "the trace is incomplete: nobody reads it")) }
  }
}
