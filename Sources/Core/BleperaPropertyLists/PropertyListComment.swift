/// A comment of a property list with its position.
package struct PropertyListComment: Sendable {
  /// The text between the marks of the comment.
  private(set) var text: String
  package let offset: Int
  private(set) var end: Int
  /// The offset of the innermost container around the comment; nil outside of the root.
  package let owner: Int?
  /// Whether something else stands before the comment on its line.
  package let isTrailing: Bool
  /// Whether the comment ends with its line.
  let isLine: Bool

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

  /// The words of the comment, separated by single spaces.
  package var words: String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}
