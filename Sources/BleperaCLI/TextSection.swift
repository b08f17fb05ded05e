/// Lines under a title, in groups that stay level with those of a section beside it.
struct TextSection {
  let title: String
  var groups: [[String]]

  var isEmpty: Bool { groups.allSatisfy(\.isEmpty) }

  func fits(_ width: Int) -> Bool { groups.joined().allSatisfy { TextLayout.width($0) <= width } }

  /// One below the other.
  func lines(_ terminal: Terminal, width: Int) -> [String] {
    [terminal.styled(title, .bold), terminal.styled(String(repeating: "─", count: width), .dim)] + groups.joined()
  }

  /// Two sections beside each other, a line between them.
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
