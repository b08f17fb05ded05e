/// Where text stands on lines, colours not counted.
enum TextLayout {
  /// How many characters are seen.
  static func width(_ text: String) -> Int {
    var width = 0
    var isEscape = false
    for character in text {
      if character == "\u{1B}" { isEscape = true }
      if !isEscape { width += 1 }
      if character == "m" { isEscape = false }
    }
    return width
  }

  /// With spaces behind it.
  static func padded(_ text: String, to width: Int) -> String { text + spaces(width - Self.width(text)) }

  /// One at the left and one at the right edge, two spaces apart at least.
  static func spread(_ left: String, _ right: String, over width: Int) -> String {
    left + spaces(max(2, width - Self.width(left) - Self.width(right))) + right
  }

  /// Broken between words; a word that is too long has a line of its own.
  static func wrapped(_ text: String, to width: Int) -> [String] {
    filled(text.split(separator: " ", omittingEmptySubsequences: false).map(String.init), to: width)
  }

  /// Items with commas between them, broken between items only.
  static func list(_ items: [String], to width: Int) -> [String] {
    filled(items.enumerated().map { $0 + 1 < items.count ? "\($1)," : $1 }, to: width)
  }

  /// Cut into pieces of `length` characters, the last one shorter.
  static func chunks(_ text: String, of length: Int) -> [String] {
    var rest = text[...]
    var chunks: [String] = []
    while !rest.isEmpty {
      chunks.append(String(rest.prefix(length)))
      rest = rest.dropFirst(length)
    }
    return chunks
  }

  private static func filled(_ words: [String], to width: Int) -> [String] {
    var lines: [String] = []
    for word in words {
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append(word)
      }
    }
    return lines
  }

  static func spaces(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }
}
