import Glibc
import Synchronization

/// Writes packets to a capture file. All that is captured in one turn is written at once, so that the file is complete
/// however the process ends; of a pipe that nobody reads, packets are omitted instead (`LineOutput`).
package final class CaptureWriter: Sendable {
  private let descriptor: CInt
  private let output: LineOutput
  private let report: Report

  /// Opens the file, which may be a capture that is overwritten; any other file is refused. A new one is for its user
  /// alone: a capture has every value.
  ///
  /// - Parameters:
  ///   - header: the first bytes of the file.
  ///   - fail: called once, for the first packets that cannot be written; after an error later packets are discarded.
  package init(
    _ path: String, header: [UInt8], fail: @escaping @Sendable (RecordingFailure) -> Void
  ) throws(RecordingFailure) {
    let file = try RecordingFile.open(path, kind: "a capture of blepera") { $0.starts(with: header) }
    descriptor = file
    let report = Report(path: path, fail: fail)
    self.report = report
    output = LineOutput(
      file,
      omission: { _ -> [UInt8] in
        report.incomplete("its reader is too slow")
        return []
      }, failed: { code in report.incomplete(RecordingFile.text(code)) })
    output.write(header)
  }

  deinit { close(descriptor) }

  /// - Parameter records: whole records.
  package func write(_ records: [UInt8]) { output.write(records) }

  /// Waits until the last packet is written or the deadline has come.
  package func flush(until deadline: ContinuousClock.Instant = .now + .seconds(1)) {
    if output.flush(until: deadline) > 0 { report.incomplete("nobody reads it") }
  }

  /// Reports the first failure only.
  private final class Report: Sendable {
    private let path: String
    private let fail: @Sendable (RecordingFailure) -> Void
    private let isDone = Mutex(false)

    init(path: String, fail: @escaping @Sendable (RecordingFailure) -> Void) {
      self.path = path
      self.fail = fail
    }

    func incomplete(_ reason: String) {
      let isFirst = isDone.withLock { isDone in
        defer { isDone = true }
        return !isDone
      }
      if isFirst { fail(RecordingFailure(path: path, reason: "the capture is incomplete: \(reason)")) }
    }
  }
}
