/// The grammar of signatures; their limits are `SignatureMeter`'s. It descends once a byte at most, so the length that
/// `Signature` checks first bounds it.
struct SignatureParser {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

  /// All of the text as complete types, nil where it is not of the grammar.
  mutating func types() -> [DBusType]? {
    var types: [DBusType] = []
    while position < bytes.count {
      guard let type = type() else { return nil }
      types.append(type)
    }
    return types
  }

  private mutating func type() -> DBusType? {
    guard let code = next() else { return nil }
    switch code {
    case UInt8(ascii: "("): return structure()
    case UInt8(ascii: "a"):
      guard peek() == UInt8(ascii: "{") else { return type().map { .array($0) } }
      position += 1
      return dictionary()
    default: return DBusType.simple(code)
    }
  }

  private mutating func structure() -> DBusType? {
    var fields: [DBusType] = []
    while peek() != UInt8(ascii: ")") {
      guard let field = type() else { return nil }
      fields.append(field)
    }
    position += 1
    return fields.isEmpty ? nil : .structure(fields)
  }

  private mutating func dictionary() -> DBusType? {
    guard let key = type(), key.isBasic, let value = type(), next() == UInt8(ascii: "}") else { return nil }
    return .dictionary(key: key, value: value)
  }

  private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func next() -> UInt8? {
    guard let byte = peek() else { return nil }
    position += 1
    return byte
  }
}
