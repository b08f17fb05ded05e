import BleperaAppLink

/// The result of a command: lines of text, or with `--json` one JSON object with the version of its format.
package protocol CommandReport: Encodable {
  func lines(for terminal: Terminal) -> [String]
}

extension CommandReport {
  /// The report as one line of JSON, with keys in alphabetical order.
  package var json: String { JSONLine.text(Versioned(content: self)) }

  package func print(on terminal: Terminal, asJSON: Bool) {
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
