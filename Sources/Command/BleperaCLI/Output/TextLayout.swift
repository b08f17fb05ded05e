/// Alignment and wrapping of text, ignoring escape sequences.
package enum TextLayout {
  /// The number of columns that the visible characters take.
  package static func width(_ text: some StringProtocol) -> Int {
    // ASCII text is counted by bytes, since finding characters is far slower.
    var width = 0
    var isEscape = false
    for byte in text.utf8 {
      guard byte < 0x80 else { return widthOfCharacters(text) }
      if byte == 0x1B { isEscape = true }
      if !isEscape { width += 1 }
      if byte == UInt8(ascii: "m") { isEscape = false }
    }
    return width
  }

  private static func widthOfCharacters(_ text: some StringProtocol) -> Int {
    var width = 0
    var isEscape = false
    for character in text {
      if character == "\u{1B}" { isEscape = true }
      if !isEscape { width += self.width(character) }
      if character == "m" { isEscape = false }
    }
    return width
  }

  /// The columns of a character: two for characters that East Asian fonts draw wide, and for emoji.
  private static func width(_ character: Character) -> Int {
    guard let scalar = character.unicodeScalars.first?.value, scalar >= 0x1100 else { return 1 }
    return wide.contains { $0.contains(scalar) } ? 2 : 1
  }

  /// The larger blocks that are wide or fullwidth in Unicode's EastAsianWidth.txt.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
    0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
  ]

  /// Wraps a line that is too wide between words; the lines after the first begin at the column `indent`.
  static func folded(_ line: String, to width: Int, indent: Int) -> String {
    guard Self.width(line) > width, width > indent + 20 else { return line }
    var text = ""
    var lineWidth = 0
    for (number, word) in line.split(separator: " ", omittingEmptySubsequences: false).enumerated() {
      let wordWidth = Self.width(word)
      if number > 0, lineWidth + 1 + wordWidth <= width {
        text += " "
        lineWidth += 1 + wordWidth
      } else if number > 0 {
        guard !word.isEmpty else { continue }
        while text.utf8.last == UInt8(ascii: " ") { text.removeLast() }
        text += "\n" + spaces(indent)
        lineWidth = indent + wordWidth
      } else {
        lineWidth = wordWidth
      }
      text += word
    }
    while text.utf8.last == UInt8(ascii: " ") { text.removeLast() }
    return text
  }

  /// The first lines, and a last line with the number of omitted lines.
  static func cut(_ lines: [String], to count: Int) -> [String] {
    guard lines.count > count, count > 1 else { return lines }
    return lines.prefix(count - 1) + ["(\(lines.count - count + 1) more lines)"]
  }

  /// The text followed by spaces.
  package static func padded(_ text: String, to width: Int) -> String { text + spaces(width - Self.width(text)) }

  /// Text at the left and right edges, at least two spaces apart.
  static func spread(_ left: String, _ right: String, over width: Int) -> String {
    left + spaces(max(2, width - Self.width(left) - Self.width(right))) + right
  }

  /// Wraps between words; a word that is too long has a line of its own.
  package static func wrapped(_ text: String, to width: Int) -> [String] {
    filled(text.split(separator: " ", omittingEmptySubsequences: false).map(String.init), to: width)
  }

  /// Items separated by commas, wrapped between items only.
  static func list(_ items: [String], to width: Int) -> [String] {
    filled(items.enumerated().map { $0 + 1 < items.count ? "\($1)," : $1 }, to: width)
  }

  /// Splits the text into pieces of `length` characters; the last may be shorter.
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

  package static func spaces(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }
}

/// Lines under a title, in groups that are aligned with the groups of a section beside this one.
struct TextSection {
  let title: String
  var groups: [[String]]

  var isEmpty: Bool { groups.allSatisfy(\.isEmpty) }

  func fits(_ width: Int) -> Bool { groups.joined().allSatisfy { TextLayout.width($0) <= width } }

  func lines(_ terminal: Terminal, width: Int) -> [String] {
    [terminal.styled(title, .bold), terminal.styled(terminal.drawn(String(repeating: "─", count: width)), .dim)]
      + groups.joined()
  }

  /// Two sections side by side, separated by a line.
  static func beside(_ left: TextSection, _ right: TextSection, _ terminal: Terminal, width: Int) -> [String] {
    func row(_ left: String, _ right: String, _ bar: String = "│", _ padding: Int = 1) -> String {
      let space = TextLayout.spaces(padding)
      let row = TextLayout.padded(left, to: width) + space + terminal.styled(terminal.drawn(bar), .dim)
      return right.isEmpty ? row : row + space + right
    }
    let line = terminal.styled(terminal.drawn(String(repeating: "─", count: width + 1)), .dim)
    var rows = [row(terminal.styled(left.title, .bold), terminal.styled(right.title, .bold))]
    rows.append(line + terminal.styled(terminal.drawn("┼"), .dim) + line)
    let groups = (left: left.isEmpty ? [["None."]] : left.groups, right: right.isEmpty ? [["None."]] : right.groups)
    for index in 0..<max(groups.left.count, groups.right.count) {
      let pair = (
        left: index < groups.left.count ? groups.left[index] : [],
        right: index < groups.right.count ? groups.right[index] : []
      )
      for number in 0..<max(pair.left.count, pair.right.count) {
        rows.append(
          row(
            number < pair.left.count ? pair.left[number] : "", number < pair.right.count ? pair.right[number] : ""))
      }
    }
    return rows
  }
}
