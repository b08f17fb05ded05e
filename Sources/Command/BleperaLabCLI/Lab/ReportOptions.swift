import ArgumentParser
import BleperaCLI
import BleperaReport

/// The option `--report` of commands that run phones.
struct ReportOptions: ParsableArguments {
  @Option(
    name: .customLong("report"),
    help: ArgumentHelp("Write an HTML page; see 'blepera help report'.", valueName: "file"),
    completion: .page)
  var path: String?

  func validate() throws {
    if path == "-" { throw ValidationError("'--report' requires a file; the command uses standard output.") }
  }

  /// Returns nil if no report is written.
  func open() throws -> ReportOutput? {
    try path.map { try ReportOutput(path: $0, replacing: ReportPage.beginning) }
  }
}

extension ReportCollector: EventCollector {}
