/// Words of messages; quotes a file's text on one line and of limited length.
package enum Quote {
  /// The maximum number of characters shown.
  package static let limit = 48

  /// The text between quotation marks, with control characters escaped, cut at the limit.
  package static func text(_ text: some StringProtocol) -> String {
    let scalars = text.unicodeScalars
    let shown = scalars.prefix(limit).reduce(into: "\"") { shown, scalar in
      if scalar == "\"" || scalar == "\\" { shown += "\\" }
      append(scalar, to: &shown)
    }
    return shown + (scalars.count > limit ? "...\"" : "\"")
  }

  /// The whole text without quotation marks, with control characters escaped: for what others have named, in a line of
  /// a terminal or of a log.
  package static func line(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { append($1, to: &$0) }
  }

  private static func append(_ scalar: Unicode.Scalar, to shown: inout String) {
    switch scalar {
    case "\n": shown += "\\n"
    case "\r": shown += "\\r"
    case "\t": shown += "\\t"
    default:
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator:
        shown += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      default: shown.unicodeScalars.append(scalar)
      }
    }
  }

  /// `1 service`, `2 services`.
  package static func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

  /// `a`, `a or b`, `a, b or c`.
  package static func list(_ words: [String], _ conjunction: String = "or") -> String {
    guard let last = words.last, words.count > 1 else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " \(conjunction) " + last
  }
}
