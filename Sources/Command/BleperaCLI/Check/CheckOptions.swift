import ArgumentParser

/// The options for the output of `check` and `scenario check`.
package struct CheckOptions: ParsableArguments {
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case text, json, github
  }

  @Option(
    help: ArgumentHelp(
      "text (the default), json, or github, whose lines are annotations in a GitHub workflow.", valueName: "format"))
  var outputFormat: Format?

  @Flag(help: "Print a JSON object on one line, as with --output-format json.")
  var json = false

  @Flag(name: .shortAndLong, help: "Print errors and warnings only.")
  var quiet = false

  package init() {}

  package func validate() throws {
    guard json, let outputFormat, outputFormat != .json else { return }
    throw ValidationError("'--json' cannot be combined with '--output-format \(outputFormat.rawValue)'.")
  }

  var isMachineReadable: Bool { format != .text }

  private var format: Format { outputFormat ?? (json ? .json : .text) }

  package func print(_ files: [some CheckedFile], json: @autoclosure () -> String) {
    let output = Terminal(.output)
    switch format {
    case .json: output.print(json())
    case .github: output.print(files.flatMap(\.diagnostics).map(\.annotation))
    case .text:
      let errors = Terminal(.error)
      for file in files {
        errors.print(file.faults)
        if !quiet, let summary = file.summary { output.print(summary) }
      }
    }
  }
}

/// The result of checking one file.
package protocol CheckedFile {
  var diagnostics: [DiagnosticEntry] { get }
  /// A line for each diagnostic, or the reason why the file cannot be read.
  var faults: [String] { get }
  /// A line that describes the file; nil if it has an error.
  var summary: String? { get }
}

extension DiagnosticEntry {
  /// A workflow command (docs.github.com, "Workflow commands for GitHub Actions").
  var annotation: String {
    let place = line.map { ",line=\($0)" + (column.map { ",col=\($0)" } ?? "") } ?? ""
    return "::\(severity) file=\(Self.escaped(file, "%\r\n:,"))\(place)::\(Self.escaped(message, "%\r\n"))"
  }

  private static func escaped(_ text: String, _ special: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      guard special.unicodeScalars.contains(scalar) else { return result.unicodeScalars.append(scalar) }
      let digits = String(scalar.value, radix: 16, uppercase: true)
      result += "%" + (digits.count == 1 ? "0" : "") + digits
    }
  }
}
