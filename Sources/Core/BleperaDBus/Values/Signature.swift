/// Zero or more complete types: at most 255 bytes, 32 arrays and 32 structures deep, no empty structure, dictionary
/// entries only as elements of arrays and with a basic key (D-Bus specification, "Valid Signatures").
package struct Signature: Sendable {
  /// The maximum length, in bytes.
  package static let maximumLength = 255
  /// The maximum nesting depth of arrays, and separately of structures.
  package static let maximumNesting = 32

  package let types: [DBusType]
  package let text: String

  package init?(_ text: String) {
    guard text.utf8.count <= Self.maximumLength else { return nil }
    var parser = SignatureParser(text.utf8)
    guard let types = parser.types(), Self.isWithinLimits(types) else { return nil }
    self.types = types
    self.text = text
  }

  private static func isWithinLimits(_ types: [DBusType]) -> Bool {
    var meter = SignatureMeter()
    do throws(MessageRefusal) {
      for type in types { try meter.add(type) }
      return true
    } catch {
      return false
    }
  }
}

extension Signature: Hashable {
  package static func == (left: Signature, right: Signature) -> Bool { left.text == right.text }

  package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension Signature: CustomStringConvertible {
  package var description: String { text }
}

extension Signature: ExpressibleByStringLiteral {
  /// Traps on an invalid literal.
  package init(stringLiteral value: String) {
    guard let signature = Signature(value) as Signature? else { preconditionFailure("not a signature: \(value)") }
    self = signature
  }
}

/// Parses the grammar of signatures; `SignatureMeter` checks the limits. The recursion depth is at most the length,
/// which `Signature` checks first.
struct SignatureParser {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

  /// Parses the whole text as complete types; nil if the text is invalid.
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

/// Counts the bytes and the nesting of a signature, of types or of values, and refuses before it recurses deeper than
/// the limits allow.
struct SignatureMeter {
  private(set) var length = 0

  mutating func add(_ type: DBusType, arrays: Int = 0, structures: Int = 0) throws(MessageRefusal) {
    switch type {
    case .byte, .boolean, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double, .string, .objectPath, .signature,
      .unixFD, .variant:
      try count(1)
    case .array(let element):
      try enterArray(arrays)
      try add(element, arrays: arrays + 1, structures: structures)
    case .dictionary(let key, let value):
      try enterDictionary(arrays, key: key)
      try add(value, arrays: arrays + 1, structures: structures)
    case .structure(let fields):
      try enterStructure(structures, isEmpty: fields.isEmpty)
      for field in fields { try add(field, arrays: arrays, structures: structures + 1) }
    }
  }

  /// Equivalent to adding the type of the value, without creating the type.
  mutating func add(_ value: DBusValue, arrays: Int = 0, structures: Int = 0) throws(MessageRefusal) {
    switch value {
    case .byte, .boolean, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double, .string, .objectPath, .signature,
      .unixFD, .variant:
      try count(1)
    case .bytes:
      try enterArray(arrays)
      try count(1)
    case .array(let array):
      try enterArray(arrays)
      try add(array.elementType, arrays: arrays + 1, structures: structures)
    case .dictionary(let dictionary):
      try enterDictionary(arrays, key: dictionary.keyType)
      try add(dictionary.valueType, arrays: arrays + 1, structures: structures)
    case .structure(let fields):
      try enterStructure(structures, isEmpty: fields.isEmpty)
      for field in fields { try add(field, arrays: arrays, structures: structures + 1) }
    }
  }

  private mutating func enterArray(_ arrays: Int) throws(MessageRefusal) {
    guard arrays < Signature.maximumNesting else { throw .nestedTooDeeply("\(arrays + 1) arrays") }
    try count(1)
  }

  private mutating func enterDictionary(_ arrays: Int, key: DBusType) throws(MessageRefusal) {
    try enterArray(arrays)
    guard key.isBasic else { throw .keyNotBasic }
    try count(3)
  }

  private mutating func enterStructure(_ structures: Int, isEmpty: Bool) throws(MessageRefusal) {
    guard structures < Signature.maximumNesting else { throw .nestedTooDeeply("\(structures + 1) structures") }
    guard !isEmpty else { throw .emptyStructure }
    try count(2)
  }

  private mutating func count(_ bytes: Int) throws(MessageRefusal) {
    length += bytes
    guard length <= Signature.maximumLength else { throw .signatureTooLong }
  }
}
