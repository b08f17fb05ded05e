import ArgumentParser
import Testing

@testable import BleperaCLI

@Suite struct ReportHelpTests {
  @Test func `report says what the page has and where it is written`() {
    #expect(
      Blepera.helpMessage(for: ReportCommand.self, columns: 80) == """
        OVERVIEW: Write an HTML page that shows what happened in a recorded trace.

        The page has a timeline of phones, apps and centrals, and for each moment what
        was on the air byte by byte, the bits of the overflow area, the state of each
        app, and the rule behind the change. It is one file that loads nothing from
        anywhere; open it in a browser. docs/report.md describes it.

          blepera serve --virtual profiles/heart-rate.plist --record heart-rate.jsonl
          blepera report heart-rate.jsonl

        An older report is overwritten, and no other file. 'scenario run' and 'lab'
        write the same page with --report.

        The exit status is 0, 1 if the page cannot be written, and 2 if a trace cannot
        be read.

        USAGE: blepera report [<options>] <trace> ...

        ARGUMENTS:
          <trace>                 A trace, written with --record.

        OPTIONS:
          -o, --output <file>     The page to write, or - for standard output (default:
                                  the trace's name with '.html').
          --version               Show the version.
          -h, --help              Show help information.

        """)
  }

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
