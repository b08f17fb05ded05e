import BleperaAppLink
import BleperaRecording
import BleperaReport
import TestSupport

@testable import BleperaCLI

extension FuzzTarget {
  /// A trace, which `report` reads; the page of a short trace is made.
  static let trace = FuzzTarget("trace") { bytes in
    do throws(TraceFault) {
      let trace = try TraceFile(bytes)
      requireCoding(of: trace)
      guard trace.lines.count <= 64 else { return }
      let page = ReportPage([ReportSource(trace, path: "input.jsonl")], version: "0.1.0")
      require(page.html.hasSuffix("</html>\n") && !page.summary.isEmpty, "a trace has a page")
    } catch {
      require(error.line ?? 1 >= 1 && !error.reason.isEmpty, "a fault has a line from 1 and a reason")
    }
  }

  private static func requireCoding(of trace: TraceFile) {
    for line in trace.lines {
      require(EventRecord(json: Array(line.record.json.utf8)) == line.record, "an event is read as it was written")
      require(Timestamp(date: line.time.date) == line.time, "a time is read as it was written")
      let text = EventPrinter.text(line.record, at: line.time, on: .plain)
      require(!text.isEmpty, "an event has a text")
    }
  }
}
