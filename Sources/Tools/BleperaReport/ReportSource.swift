package import BleperaAppLink
package import BleperaRecording
package import BleperaSimulation
import Synchronization

/// The source of a run on the page: a trace that was read, or events as they were reported.
package struct ReportSource: Sendable {
  var title: String
  /// The origin of the events, such as the path of the trace.
  var source: String
  var header: TraceHeader
  var lines: [TraceFile.Line] = []
  var centralLines: [TraceFile.CentralLine] = []
  /// The names of centrals by their addresses.
  var centralNames: [String: String] = [:]
  var steps: [Step] = []
  /// The number of events beyond `limit`.
  var omitted = 0

  struct Step: Sendable {
    /// The number of events before the step.
    var first: Int
    var result: StepResult
  }

  /// The most events of a page: as many as a browser can read and filter at once.
  static let limit = 100_000

  init(title: String, source: String, header: TraceHeader) {
    (self.title, self.source, self.header) = (title, source, header)
  }

  package init(_ trace: TraceFile, path: String) {
    self.init(title: path.split(separator: "/").last.map(String.init) ?? path, source: path, header: trace.header)
    lines = Array(trace.lines.prefix(Self.limit))
    omitted = trace.lines.count - lines.count
    let last = omitted == 0 ? Int.max : lines.last?.number ?? 0
    let shown = trace.centralLines.filter { $0.number < last }.prefix(Self.limit)
    omitted += trace.centralLines.count - shown.count
    centralLines = Array(shown)
  }

  /// - Parameter record: an event with its time and phone.
  mutating func add(_ record: EventRecord, at time: Timestamp) {
    guard lines.count < Self.limit else {
      omitted += 1
      return
    }
    // In a trace file, the header is line 1.
    lines.append(TraceFile.Line(number: lines.count + 2, time: time, record: record))
  }
}

/// Collects the events of a session for its report.
package final class ReportCollector: Sendable {
  private let source: Mutex<ReportSource?>
  private let title: String
  private let origin: String

  /// - Parameters:
  ///   - title: the title of the run.
  ///   - origin: the origin of the events.
  package init(title: String, origin: String) {
    (self.title, self.origin) = (title, origin)
    source = Mutex(nil)
  }

  package func begin(_ header: TraceHeader) {
    source.withLock { $0 = ReportSource(title: title, source: origin, header: header) }
  }

  package func add(_ record: EventRecord, at time: Timestamp) { source.withLock { $0?.add(record, at: time) } }

  package func name(_ centrals: [String: String]) { source.withLock { $0?.centralNames = centrals } }

  /// Adds a step; the events since the step before belong to it.
  package func add(_ step: StepResult) {
    source.withLock { source in
      let first = source.map { source in source.steps.isEmpty ? 0 : eventsAtLastStep.withLock { $0 } } ?? 0
      source?.steps.append(ReportSource.Step(first: first, result: step))
      eventsAtLastStep.withLock { $0 = source?.lines.count ?? 0 }
    }
  }

  private let eventsAtLastStep = Mutex(0)

  /// The events so far; nil if the session has not begun.
  package var collected: ReportSource? { source.withLock { $0 } }
}
