import ArgumentParser
import Testing

@testable import BleperaCLI
@testable import BleperaToolsCLI

@Suite struct ReportCommandTests {
  @Test(arguments: [
    ("session.jsonl", "session.html"), ("traces/a.b.json", "traces/a.b.html"), ("session", "session.html"),
    ("folder.jsonl/trace", "folder.jsonl/trace.html"), ("traces/.jsonl", "traces/.jsonl.html"),
  ])
  func `the page has the name of the trace`(trace: String, page: String) {
    #expect(ReportCommand.page(for: trace) == page)
  }

  @Test func `several traces need a name for their page`() throws {
    #expect(throws: (any Error).self) { try ReportCommand.parse(["a.jsonl", "b.jsonl"]) }
    #expect(try ReportCommand.parse(["a.jsonl", "b.jsonl", "-o", "page.html"]).paths.count == 2)
  }
}
