import FoundationEssentials

/// What a subcommand of `blepera overflow` says: lines for a person, and with `--json` its own JSON object.
protocol OverflowReport: Encodable {
  func lines(for terminal: Terminal) -> [String]
}

extension OverflowReport {
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
