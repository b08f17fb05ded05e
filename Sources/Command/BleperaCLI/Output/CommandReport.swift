import ArgumentParser
import BleperaPhoneLink
import BleperaPropertyLists
import Glibc

/// The result of a command: lines of text, or with `--json` one JSON object with the version of its format.
protocol CommandReport: Encodable {
  func lines(for terminal: Terminal) -> [String]
}

extension CommandReport {
  /// One line, keys in alphabetical order.
  var json: String { JSONLine.text(Versioned(content: self)) }

  func print(on terminal: Terminal, asJSON: Bool) {
    for line in asJSON ? [json] : lines(for: terminal) { terminal.print(line) }
  }
}

/// A JSON object with the key `version`.
private struct Versioned<Content: Encodable>: Encodable {
  let content: Content

  private enum Key: CodingKey {
    case version
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(EventRecord.currentVersion, forKey: .version)
    try content.encode(to: encoder)
  }
}

/// The exit statuses of every command; that of `ArgumentParser` for a wrong command line is 64.
extension ExitCode {
  /// A file that was given has an error or cannot be read.
  static let faultyInput = ExitCode(2)

  /// Ends the process with success at SIGINT, as commands do that repeat until Ctrl-C.
  static func succeedAtInterrupt() { signal(SIGINT) { _ in _exit(0) } }
}

/// Reports why a command failed.
enum CommandFailure {
  /// Prints the reason on standard error.
  static func report(_ reason: String) {
    let errors = Terminal(.error)
    errors.print("\(errors.styled("error:", .red)) \(reason)")
  }

  /// Prints the reason and returns the status to throw.
  static func exit(_ reason: String, _ status: ExitCode = ExitCode(1)) -> ExitCode {
    report(reason)
    return status
  }
}

/// Formats a diagnostic as compilers do.
struct DiagnosticText {
  let terminal: Terminal

  func line(_ diagnostic: Diagnostic) -> String {
    let text = "\(diagnostic)"
    let place = "\(diagnostic.file):\(diagnostic.line):\(diagnostic.column): "
    let word = "\(diagnostic.severity.rawValue):"
    let style: Terminal.Style =
      switch diagnostic.severity {
      case .error: .red
      case .warning: .yellow
      }
    return place + terminal.styled(word, style) + text.dropFirst((place + word).count)
  }
}
