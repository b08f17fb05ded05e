/// Alignment and wrapping of text, ignoring escape sequences.
enum TextLayout {
  /// The number of visible characters.
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

  /// `1 service`, `2 services`.
  static func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

  /// The text followed by spaces.
  static func padded(_ text: String, to width: Int) -> String { text + spaces(width - Self.width(text)) }

  /// Text at the left and right edges, at least two spaces apart.
  static func spread(_ left: String, _ right: String, over width: Int) -> String {
    left + spaces(max(2, width - Self.width(left) - Self.width(right))) + right
  }

  /// Wraps between words; a word that is too long has a line of its own.
  static func wrapped(_ text: String, to width: Int) -> [String] {
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

  static func spaces(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }
}

/// Lines under a title, in groups that are aligned with those of a section beside it.
struct TextSection {
  let title: String
  var groups: [[String]]

  var isEmpty: Bool { groups.allSatisfy(\.isEmpty) }

  func fits(_ width: Int) -> Bool { groups.joined().allSatisfy { TextLayout.width($0) <= width } }

  /// The title and all lines.
  func lines(_ terminal: Terminal, width: Int) -> [String] {
    [terminal.styled(title, .bold), terminal.styled(String(repeating: "─", count: width), .dim)] + groups.joined()
  }

  /// Two sections side by side, separated by a line.
  static func beside(_ left: TextSection, _ right: TextSection, _ terminal: Terminal, width: Int) -> [String] {
    func row(_ left: String, _ right: String, _ bar: String = "│", _ padding: Int = 1) -> String {
      let space = TextLayout.spaces(padding)
      let row = TextLayout.padded(left, to: width) + space + terminal.styled(bar, .dim)
      return right.isEmpty ? row : row + space + right
    }
    let line = terminal.styled(String(repeating: "─", count: width + 1), .dim)
    var rows = [row(terminal.styled(left.title, .bold), terminal.styled(right.title, .bold))]
    rows.append(line + terminal.styled("┼", .dim) + line)
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
