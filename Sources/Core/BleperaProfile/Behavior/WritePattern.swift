/// The form of a written value: bytes, some of which may be any, and possibly a rest of any length at the end.
package struct WritePattern: Hashable, Sendable {
  /// A byte, or nil for any.
  package var bytes: [UInt8?]
  /// Whether more bytes may follow.
  package var allowsRest = false
  /// The captured parts of the value by name.
  package var fields: [String: Field] = [:]

  /// A captured part of a value.
  package struct Field: Hashable, Sendable {
    /// Where the part begins, in bytes from the start of the value.
    package var offset: Int
    /// The number of bytes; nil for all that follow.
    package var count: Int?
  }

  /// Matches every value.
  package static let any = WritePattern(bytes: [], allowsRest: true)

  /// Matches these bytes and nothing else.
  package static func exactly(_ bytes: [UInt8]) -> WritePattern { WritePattern(bytes: bytes) }

  /// Matches every value that begins with these bytes.
  package static func prefix(_ bytes: [UInt8]) -> WritePattern { WritePattern(bytes: bytes, allowsRest: true) }

  /// The captured fields of a value; nil where the pattern does not match.
  package func match(_ value: [UInt8]) -> [String: [UInt8]]? {
    guard allowsRest ? value.count >= bytes.count : value.count == bytes.count else { return nil }
    guard zip(bytes, value).allSatisfy({ $0 == nil || $0 == $1 }) else { return nil }
    return fields.mapValues { field in
      let rest = value.dropFirst(field.offset)
      return Array(field.count.map { rest.prefix($0) } ?? rest)
    }
  }

  /// Whether the pattern matches every value that `other` matches.
  package func covers(_ other: WritePattern) -> Bool {
    guard allowsRest ? other.bytes.count >= bytes.count : !other.allowsRest && other.bytes.count == bytes.count else {
      return false
    }
    return zip(bytes, other.bytes).allSatisfy { $0 == nil || $0 == $1 }
  }
}

/// A value with the captured fields of a write in it.
package struct ValueTemplate: Hashable, Sendable {
  /// A part of the value.
  package enum Part: Hashable, Sendable {
    /// Bytes that are the same for each write.
    case bytes([UInt8])
    /// The captured field of that name.
    case field(String)
  }

  package var parts: [Part]

  package init(parts: [Part]) { self.parts = parts }

  /// Creates a template without captured fields.
  package init(_ bytes: [UInt8]) { parts = bytes.isEmpty ? [] : [.bytes(bytes)] }

  /// The value, cut after `limit` bytes.
  package func value(_ fields: [String: [UInt8]], limit: Int) -> [UInt8] {
    let bytes = parts.flatMap { part in
      switch part {
      case .bytes(let bytes): bytes
      case .field(let name): fields[name] ?? []
      }
    }
    return Array(bytes.prefix(limit))
  }
}
