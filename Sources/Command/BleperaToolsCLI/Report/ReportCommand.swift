import ArgumentParser
import BleperaCLI
import BleperaRecording
import BleperaReport

struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Write an HTML page of a recorded trace.",
    usage: "blepera report [<options>] <trace> ...",
    discussion: """
      The page has a timeline of phones, apps and centrals, and for each moment what was on the air byte by byte, the \
      bits of the overflow area, the state of each app, and the rule behind the change. It is one file that loads \
      nothing from anywhere; open it in a browser. docs/report.md describes it.

        blepera serve --virtual profiles/heart-rate.plist --record heart-rate.jsonl
        blepera report heart-rate.jsonl

      An older report is overwritten, and no other file. 'scenario run' and 'lab' write the same page with --report.

      The exit status is 0, 1 if the page cannot be written, and 2 if a trace cannot be read.
      """)

  @Argument(help: ArgumentHelp("A trace, written with --record.", valueName: "trace"), completion: .trace)
  var paths: [String]

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp(
      "The page to write, or - for standard output (default: the trace's name with '.html').", valueName: "file"),
    completion: .page)
  var output: String?

  /// The longest trace in bytes, enough for some days of a busy phone.
  static let longestTrace = 256 << 20

  func validate() throws {
    if output == nil, paths.count > 1 {
      throw ValidationError("A page of \(paths.count) traces needs a name; give it with -o.")
    }
  }

  /// `session.html` for `session.jsonl`.
  static func page(for trace: String) -> String {
    for ending in [".jsonl", ".json", ".trace"] where trace.hasSuffix(ending) && !trace.hasSuffix("/\(ending)") {
      return trace.dropLast(ending.count) + ".html"
    }
    return trace + ".html"
  }

  func run() throws {
    let errors = Terminal(.error)
    var sources: [ReportSource] = []
    for path in paths {
      do throws(UnreadableTrace) {
        sources.append(try read(path, errors))
      } catch {
        errors.print(error.description)
        throw ExitCode.faultyInput
      }
    }
    let name = output ?? Self.page(for: paths[0])
    let file = try ReportOutput(path: name, replacing: ReportPage.beginning)
    let page = ReportPage(sources, version: Release.version)
    try file.write(html: page.html)
    if name != "-" { Terminal(.output).print("\(name): \(page.summary)") }
  }

  /// A line of text for standard error.
  private struct UnreadableTrace: Error {
    let description: String
  }

  private func read(_ path: String, _ errors: Terminal) throws(UnreadableTrace) -> ReportSource {
    let bytes: [UInt8]
    do throws(ProfileFile.Unreadable) {
      bytes = try ProfileFile.read(path, atMost: Self.longestTrace, what: "a trace", form: "a trace")
    } catch { throw UnreadableTrace(description: error.description) }
    do throws(TraceFault) {
      let trace = try TraceFile(bytes)
      if let line = trace.cutLine { errors.print("\(path):\(line): the last line is incomplete and is skipped") }
      guard !trace.lines.isEmpty || !trace.centralLines.isEmpty else {
        throw TraceFault(line: nil, "the trace has no events")
      }
      return ReportSource(trace, path: path)
    } catch { throw UnreadableTrace(description: "\(path)\(error)") }
  }
}
