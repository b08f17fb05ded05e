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

  /// The whole text without quotation marks, with control characters escaped: for names that others have chosen, in a
  /// line of a terminal or of a log.
  package static func line(_ text: String) -> String {
    // Most texts have nothing to escape, and the category of each character takes long to look up.
    if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
    return text.unicodeScalars.reduce(into: "") { append($1, to: &$0) }
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

  /// `30`, `0.5`.
  package static func number(_ value: Double) -> String { Int(exactly: value).map { "\($0)" } ?? "\(value)" }

  /// `a`, `a or b`, `a, b or c`.
  package static func list(_ words: [String], _ conjunction: String = "or") -> String {
    guard let last = words.last, words.count > 1 else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " \(conjunction) " + last
  }
}

/// Finds the name that a misspelled one probably stands for.
package enum NearestName {
  /// Longer texts are not searched for: no name is as long, and the cost is the product of the lengths.
  private static let longest = 40

  /// The name with the lowest edit distance from `text`, in which a change of letter case weighs a third; nil where
  /// more than a third of the name differs, or more than `edits` letters.
  package static func find(_ text: String, in names: [String], edits: Int = .max) -> String? {
    let text = Array(text.utf8)
    guard !text.isEmpty, text.count <= longest else { return nil }
    var best: (name: String, cost: Int)?
    for name in names {
      let letters = Array(name.utf8)
      // A difference in case costs 1, any other edit 3.
      let allowed = min(max(letters.count, 3), min(edits, longest) * 3)
      guard abs(letters.count - text.count) * 3 <= allowed else { continue }
      let cost = cost(from: text, to: letters)
      if cost <= allowed, cost < best?.cost ?? .max { best = (name, cost) }
    }
    return best?.name
  }

  /// The lowest cost of insertions, deletions, substitutions and transpositions.
  private static func cost(from source: [UInt8], to target: [UInt8]) -> Int {
    var beforeLast: [Int] = []
    var last = (0...target.count).map { $0 * 3 }
    for row in 1...source.count {
      var current = [row * 3]
      for column in 0..<target.count {
        let isSame = source[row - 1] == target[column]
        let isSameLetter = source[row - 1] | 0x20 == target[column] | 0x20
        var cell = last[column] + (isSame ? 0 : isSameLetter ? 1 : 3)
        cell = min(cell, last[column + 1] + 3, current[column] + 3)
        if row > 1, column > 0, source[row - 1] == target[column - 1], source[row - 2] == target[column] {
          cell = min(cell, beforeLast[column - 1] + 3)
        }
        current.append(cell)
      }
      beforeLast = last
      last = current
    }
    return last[target.count]
  }
}
