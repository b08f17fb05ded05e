import FoundationEssentials

/// What a command says that needs no radio: lines for a person, and with `--json` one JSON object.
protocol CommandReport: Encodable {
  func lines(for terminal: Terminal) -> [String]
}

extension CommandReport {
  /// One line, keys in alphabetical order.
  var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(self) else { return "{}" }
    return String(decoding: data, as: UTF8.self)
  }

  func print(on terminal: Terminal, asJSON: Bool) {
    for line in asJSON ? [json] : lines(for: terminal) { terminal.print(line) }
  }
}
