/// A comment of a property list with its position.
package struct PropertyListComment: Sendable {
  /// The text between the marks of the comment.
  private var text: String
  package let offset: Int
  private var end: Int
  /// The offset of the innermost container around the comment; nil outside of the root.
  package let owner: Int?
  /// Whether something else stands before the comment on its line.
  package let isTrailing: Bool
  /// Whether the comment ends with its line.
  private let isLine: Bool

  init(text: String, offset: Int, end: Int, owner: Int?, isTrailing: Bool, isLine: Bool) {
    self.text = text
    self.offset = offset
    self.end = end
    self.owner = owner
    self.isTrailing = isTrailing
    self.isLine = isLine
  }

  /// Whether something stands between the beginning of the line and `offset`.
  static func isTrailing(_ offset: Int, in bytes: [UInt8]) -> Bool {
    let start = bytes.starts(with: XMLPropertyListReader.byteOrderMark) ? XMLPropertyListReader.byteOrderMark.count : 0
    var position = offset
    while position > start, bytes[position - 1] != 0x0A, bytes[position - 1] != 0x0D {
      position -= 1
      if !XMLPropertyListReader.isBlank(bytes[position]) { return true }
    }
    return false
  }

  /// Whether `other` is the next line of the same comment.
  func continues(with other: PropertyListComment, in bytes: [UInt8]) -> Bool {
    guard isLine, other.isLine, !isTrailing, !other.isTrailing, owner == other.owner else { return false }
    return bytes[end..<other.offset].count { $0 == 0x0A } == 1
  }

  mutating func append(_ other: PropertyListComment) {
    text += "\n" + other.text
    end = other.end
  }

  /// The lines without the indentation that they share.
  package var lines: [String] {
    let raw = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }
    var lines = raw.map { line in String(line.replacing("\t", with: "  ").trimmingSuffix { $0 == " " }) }
    // The first line begins after the mark, not at the indentation of the others.
    let first = lines.first.map { String($0.drop { $0 == " " }) }
    let others = isLine ? lines[...] : lines.dropFirst()
    let indents = others.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }
    let shared = indents.min() ?? 0
    lines = lines.map { String($0.dropFirst(min(shared, $0.prefix { $0 == " " }.count))) }
    if !isLine, let first, !lines.isEmpty { lines[0] = first }
    while lines.first?.isEmpty == true { lines.removeFirst() }
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }
}

extension Substring {
  fileprivate func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> Substring {
    var text = self
    while let last = text.last, isTrimmed(last) { text.removeLast() }
    return text
  }
}
