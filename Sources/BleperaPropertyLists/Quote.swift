/// Quotes a file's text for a message: on one line and of limited length.
package enum Quote {
  /// The maximum number of characters shown.
  package static let limit = 48

  /// The text between quotation marks, with control characters escaped, cut at the limit.
  package static func text(_ text: some StringProtocol) -> String {
    var shown = "\""
    var count = 0
    for scalar in text.unicodeScalars {
      if count == limit {
        shown += "..."
        break
      }
      count += 1
      switch scalar {
      case "\"", "\\": shown += "\\\(Character(scalar))"
      case "\n": shown += "\\n"
      case "\r": shown += "\\r"
      case "\t": shown += "\\t"
      default:
        if scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format
          || scalar.properties.generalCategory == .lineSeparator
          || scalar.properties.generalCategory == .paragraphSeparator
        {
          shown += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
        } else {
          shown.unicodeScalars.append(scalar)
        }
      }
    }
    return shown + "\""
  }

  /// `a`, `a or b`, `a, b or c`.
  package static func list(_ words: [String], _ conjunction: String = "or") -> String {
    guard let last = words.last, words.count > 1 else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " \(conjunction) " + last
  }
}
