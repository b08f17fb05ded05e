/// Cutting a device's name to what an advertisement has room for.
public enum LocalName {
  /// The longest beginning of `name` in at most `bytes` bytes of UTF-8 that splits no character as a reader sees it;
  /// where not even the first one fits, the longest that splits no Unicode scalar.
  public static func shortened(_ name: String, to bytes: Int) -> String {
    guard name.utf8.count > bytes else { return name }
    let end = boundary(in: name, within: bytes, steps: name.indices)
    guard end == name.startIndex else { return String(name[..<end]) }
    return String(name[..<boundary(in: name, within: bytes, steps: name.unicodeScalars.indices)])
  }

  /// The last of `steps` that has at most `bytes` bytes before it; the start where `bytes` is negative.
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
