/// Shortens a local name to the room in an advertisement.
public enum LocalName {
  /// The longest name of a device, in bytes of UTF-8 (Core Specification, Vol 3, Part C, 3.2.2).
  public static let maximumLength = 248

  /// The longest prefix of `name` in at most `bytes` bytes of UTF-8 that splits no grapheme cluster; where not even the
  /// first cluster fits, the longest prefix that splits no Unicode scalar.
  public static func shortened(_ name: String, to bytes: Int) -> String {
    guard name.utf8.count > bytes else { return name }
    let end = boundary(in: name, within: bytes, steps: name.indices)
    guard end == name.startIndex else { return String(name[..<end]) }
    return String(name[..<boundary(in: name, within: bytes, steps: name.unicodeScalars.indices)])
  }

  /// The last index of `steps` with at most `bytes` bytes before it; the start where `bytes` is negative.
  private static func boundary(in name: String, within bytes: Int, steps: some Sequence<String.Index>) -> String.Index {
    var boundary = name.startIndex
    var length = 0
    for step in steps {
      length += name.utf8.distance(from: boundary, to: step)
      guard length <= bytes else { break }
      boundary = step
    }
    return boundary
  }
}
