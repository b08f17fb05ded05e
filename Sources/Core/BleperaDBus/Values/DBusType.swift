/// A single complete type (D-Bus specification, "Type System").
///
/// A type built here may break the limits of a signature; `Signature.init(_:)` and `MessageLimits` refuse it.
package indirect enum DBusType: Hashable, Sendable {
  case byte
  case boolean
  case int16
  case uint16
  case int32
  case uint32
  case int64
  case uint64
  case double
  case string
  case objectPath
  case signature
  case unixFD
  case variant
  case array(DBusType)
  /// An array of dictionary entries; D-Bus allows dictionary entries nowhere else.
  case dictionary(key: DBusType, value: DBusType)
  case structure([DBusType])

  /// The basic types and the variant by type code.
  private static let simple: [(code: UInt8, type: DBusType)] = [
    (UInt8(ascii: "y"), .byte), (UInt8(ascii: "b"), .boolean), (UInt8(ascii: "n"), .int16),
    (UInt8(ascii: "q"), .uint16), (UInt8(ascii: "i"), .int32), (UInt8(ascii: "u"), .uint32),
    (UInt8(ascii: "x"), .int64), (UInt8(ascii: "t"), .uint64), (UInt8(ascii: "d"), .double),
    (UInt8(ascii: "s"), .string), (UInt8(ascii: "o"), .objectPath), (UInt8(ascii: "g"), .signature),
    (UInt8(ascii: "h"), .unixFD), (UInt8(ascii: "v"), .variant),
  ]

  /// The type of a one-byte code; nil for containers and for unknown codes.
  static func simple(_ code: UInt8) -> DBusType? { simple.first { $0.code == code }?.type }

  /// Parses a signature; nil unless `text` is exactly one complete type within the limits of a signature.
  package init?(signature text: String) {
    guard let types = Signature(text)?.types, types.count == 1 else { return nil }
    self = types[0]
  }

  /// `a{sv}`.
  package static let properties = DBusType.dictionary(key: .string, value: .variant)
  /// `a{sa{sv}}`.
  package static let interfaces = DBusType.dictionary(key: .string, value: .properties)

  package var signature: String {
    switch self {
    case .byte: "y"
    case .boolean: "b"
    case .int16: "n"
    case .uint16: "q"
    case .int32: "i"
    case .uint32: "u"
    case .int64: "x"
    case .uint64: "t"
    case .double: "d"
    case .string: "s"
    case .objectPath: "o"
    case .signature: "g"
    case .unixFD: "h"
    case .variant: "v"
    case .array(let element): "a" + element.signature
    case .dictionary(let key, let value): "a{" + key.signature + value.signature + "}"
    case .structure(let fields): "(" + fields.map(\.signature).joined() + ")"
    }
  }

  /// The alignment of a value of the type, in bytes (D-Bus specification, "Summary of D-Bus marshalling").
  package var alignment: Int {
    switch self {
    case .byte, .signature, .variant: 1
    case .int16, .uint16: 2
    case .boolean, .int32, .uint32, .string, .objectPath, .unixFD, .array, .dictionary: 4
    case .int64, .uint64, .double, .structure: 8
    }
  }

  /// Whether the type can be a dictionary key.
  package var isBasic: Bool {
    switch self {
    case .byte, .boolean, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double, .string, .objectPath, .signature,
      .unixFD:
      true
    case .variant, .array, .dictionary, .structure: false
    }
  }
}

extension DBusType: CustomStringConvertible {
  package var description: String { signature }
}

extension DBusType: ExpressibleByStringLiteral {
  /// Creates a complete type from a literal such as `"a{sv}"`; traps on an invalid literal, a programming error.
  package init(stringLiteral value: String) {
    guard let type = DBusType(signature: value) else { preconditionFailure("not one complete type: \(value)") }
    self = type
  }
}
