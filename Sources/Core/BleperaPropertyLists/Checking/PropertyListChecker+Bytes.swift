import BleperaBluetooth

/// The rule for bytes: data or hexadecimal digits under one key, text under another.
extension PropertyListChecker {
  /// The bytes of `key`, or the UTF-8 of `textKey`; reports both, and text that looks like digits.
  package mutating func bytes(_ fields: Fields, _ key: SchemaKey, orText textKey: SchemaKey) -> [UInt8]? {
    guard let field = fields[textKey] else { return fields[key].flatMap { bytes($0, textKey: textKey) } }
    if fields.has(key) {
      faults.error(
        at: field.node.offset, field.path, found: "\(textKey.name) as well as \(key.name)", expected: "one of them")
    }
    return text(field, key: key)
  }

  /// Reports that both keys are missing, where one is required.
  package mutating func require(_ fields: Fields, _ key: SchemaKey, orText textKey: SchemaKey) {
    guard fields.lacks(key), fields.lacks(textKey), case .dictionary(let dictionary) = fields.node.value,
      dictionary.isComplete
    else { return }
    faults.error(
      at: fields.node.offset, fields.path, found: "neither \(key.name) nor \(textKey.name)",
      expected: "\(key.name), \(key.type), or \(textKey.name), text")
  }

  /// The bytes of data or of hexadecimal digits, at most 512.
  ///
  /// - Parameter textKey: The key that takes text instead, for the message.
  package mutating func bytes(_ field: Fields.Field, textKey: SchemaKey? = nil) -> [UInt8]? {
    switch field.node.value {
    case .data(let bytes): return limited(bytes, field)
    case .string(let text):
      if let bytes = Self.digits(text) { return limited(bytes, field) }
      let isOdd = !text.isEmpty && text.utf8.allSatisfy { Hex.digit($0) != nil }
      error(
        field, found: isOdd ? "\(Quote.text(text)), an odd number of digits" : Quote.text(text),
        expected: SchemaType.bytes.description,
        fix: textKey.map { "use \($0.name) for text" })
      return nil
    case .dictionary, .array, .integer, .real, .boolean, .date, .faulty: return nil
    }
  }

  /// The UTF-8 of a string, at most 512 bytes; warns of one that looks like hexadecimal digits.
  package mutating func text(_ field: Fields.Field, key: SchemaKey? = nil) -> [UInt8]? {
    guard case .string(let text) = field.node.value else { return nil }
    if let key, text.utf8.contains(where: { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let bytes = Self.digits(text)
    {
      let shown = Hex.string(bytes.prefix(16), separator: " ") + (bytes.count > 16 ? " ..." : "")
      faults.warn(
        at: field.node.contentOffset, field.path, found: "\(Quote.text(text)), which is sent as these characters",
        expected: "\(key.name) for the bytes \(shown)")
    }
    return limited(Array(text.utf8), field)
  }

  private mutating func limited(_ bytes: [UInt8], _ field: Fields.Field) -> [UInt8]? {
    guard bytes.count <= AttributeValue.maximumLength else {
      error(field, found: "\(bytes.count) bytes", expected: "at most \(AttributeValue.maximumLength)")
      return nil
    }
    return bytes
  }

  /// The bytes of pairs of hexadecimal digits, with white space and `0x` before any group of them.
  private static func digits(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    for part in text.split(whereSeparator: \.isWhitespace) {
      let isMarked = part.hasPrefix("0x") || part.hasPrefix("0X")
      guard let group = Hex.bytes(isMarked ? part.dropFirst(2) : part), !isMarked || !group.isEmpty else { return nil }
      bytes += group
    }
    return bytes
  }
}
