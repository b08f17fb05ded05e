import ArgumentParser
import BleperaBluetooth
import BleperaProfile
import BleperaPropertyLists

struct CheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check profiles for errors, without a radio.",
    discussion: """
      Each diagnostic is a line in the form that compilers use:

        FILE:LINE:COLUMN: error: KEY PATH: found ..., expected ...

      In a binary property list the line is 1 and the column counts bytes. The exit status is 2 if any file has an error, \
      otherwise 0; warnings do not count.
      """)

  @Argument(help: ArgumentHelp("A profile, a property list.", valueName: "file"), completion: .propertyList)
  var files: [String]

  @Flag(help: "Print a JSON object on one line.")
  var json = false

  func run() async throws {
    let output = Terminal(.output)
    let errors = Terminal(.error)
    let reports = files.map { CheckReport(ProfileFile(path: $0), coloredFor: errors) }
    if json {
      output.print(CheckReports(files: reports).json)
    } else {
      for report in reports {
        for line in report.faults { errors.print(line) }
        if let summary = report.summary { output.print(summary) }
      }
    }
    if reports.contains(where: { $0.summary == nil }) { throw ExitCode.faultyInput }
  }
}

/// The result of `blepera check`.
struct CheckReports: CommandReport {
  let files: [CheckReport]

  func lines(for terminal: Terminal) -> [String] { files.flatMap(\.faults) + files.compactMap(\.summary) }
}

/// The result of `blepera check` for one file.
struct CheckReport: Equatable, Encodable {
  let file: String
  let diagnostics: [DiagnosticEntry]
  /// The number of services; nil if the profile has an error.
  let services: Int?
  let characteristics: Int?
  /// A line for each diagnostic, or the reason why the file cannot be read.
  let faults: [String]
  /// A line that describes the profile; nil if it has an error.
  let summary: String?

  private enum CodingKeys: CodingKey {
    case file, diagnostics, services, characteristics
  }

  init(_ file: ProfileFile, coloredFor terminal: Terminal) {
    self.file = file.path
    do throws(ProfileFile.Unreadable) {
      let check = try file.check()
      diagnostics = check.diagnostics.map(DiagnosticEntry.init)
      services = check.profile?.services.count
      characteristics = check.profile?.services.reduce(0) { $0 + $1.characteristics.count }
      faults = check.diagnostics.map { DiagnosticText(terminal: terminal).line($0) }
      summary = check.profile.map { "\(file.path): \(Self.summary(of: $0))" }
    } catch {
      diagnostics = [DiagnosticEntry(unreadable: error)]
      (services, characteristics) = (nil, nil)
      faults = ["\(error)"]
      summary = nil
    }
  }

  /// `no errors: 2 services, 5 characteristics`.
  private static func summary(of profile: Profile) -> String {
    let characteristics = profile.services.reduce(0) { $0 + $1.characteristics.count }
    let services = Quote.counted(profile.services.count, "service")
    return "no errors: \(services), \(Quote.counted(characteristics, "characteristic"))"
  }
}

/// A diagnostic in JSON.
struct DiagnosticEntry: Equatable, Encodable {
  /// `error` or `warning`.
  let severity: String
  /// Nil if the file cannot be read.
  let line: Int?
  let column: Int?
  let message: String

  init(_ diagnostic: Diagnostic) {
    let place = "\(diagnostic.file):\(diagnostic.line):\(diagnostic.column): \(diagnostic.severity.rawValue): "
    severity = diagnostic.severity.rawValue
    line = diagnostic.line
    column = diagnostic.column
    message = String("\(diagnostic)".dropFirst(place.count))
  }

  init(unreadable: ProfileFile.Unreadable) {
    severity = "error"
    (line, column) = (nil, nil)
    message = unreadable.reason
  }
}
