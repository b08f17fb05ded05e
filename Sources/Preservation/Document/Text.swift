import FoundationEssentials

/// Text as `<string>`; as an array with one `<data>` of UTF-8 where XML has no place for one of its characters, such as
/// an escape character in an environment.
struct Text: StoredForm {
  let value: String

  init(_ value: String) { self.value = value }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    do {
      value = try container.decode(String.self)
    } catch let error {
      guard let parts = try? container.decode([Data].self), parts.count == 1,
        let text = parts.first.flatMap({ String(validating: $0, as: UTF8.self) })
      else { throw error }
      value = text
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if value.unicodeScalars.allSatisfy(Self.isKept) {
      try container.encode(value)
    } else {
      try container.encode([Data(value.utf8)])
    }
  }

  /// Whether it comes back from any reader of XML as it was: Extensible Markup Language 1.0, 2.2; and 2.11, by which a
  /// carriage return becomes a line feed.
  private static func isKept(_ character: Unicode.Scalar) -> Bool {
    switch character {
    case "\t", "\n": true
    case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": false
    default: true
    }
  }
}
