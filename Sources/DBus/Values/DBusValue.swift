/// A value of every type that D-Bus has (D-Bus specification, "Type System").
///
/// Two values are equal when they have the same bytes on the wire: strings byte for byte, doubles bit for bit. File
/// descriptors are compared as objects, and dictionaries without regard to order.
package enum DBusValue: Sendable {
  case byte(UInt8)
  case boolean(Bool)
  case int16(Int16)
  case uint16(UInt16)
  case int32(Int32)
  case uint32(UInt32)
  case int64(Int64)
  case uint64(UInt64)
  case double(Double)
  /// Without a zero byte; `MessageLimits` refuses one.
  case string(String)
  case objectPath(ObjectPath)
  case signature(Signature)
  case unixFD(UnixFileDescriptor)
  /// Of anything but bytes.
  case array(DBusArray)
  case dictionary(DBusDictionary)
  /// Of one field or more; `MessageLimits` refuses none.
  case structure([DBusValue])
  indirect case variant(DBusValue)
  /// The one form of `ay`.
  case bytes([UInt8])

  package var type: DBusType {
    switch self {
    case .byte: .byte
    case .boolean: .boolean
    case .int16: .int16
    case .uint16: .uint16
    case .int32: .int32
    case .uint32: .uint32
    case .int64: .int64
    case .uint64: .uint64
    case .double: .double
    case .string: .string
    case .objectPath: .objectPath
    case .signature: .signature
    case .unixFD: .unixFD
    case .array(let array): .array(array.elementType)
    case .dictionary(let dictionary): .dictionary(key: dictionary.keyType, value: dictionary.valueType)
    case .structure(let fields): .structure(fields.map(\.type))
    case .variant: .variant
    case .bytes: .array(.byte)
    }
  }

  /// The same as `type == other`, without making a type.
  package func isOf(_ other: DBusType) -> Bool {
    switch (self, other) {
    case (.byte, .byte), (.boolean, .boolean), (.int16, .int16), (.uint16, .uint16), (.int32, .int32),
      (.uint32, .uint32), (.int64, .int64), (.uint64, .uint64), (.double, .double), (.string, .string),
      (.objectPath, .objectPath), (.signature, .signature), (.unixFD, .unixFD), (.variant, .variant),
      (.bytes, .array(.byte)):
      true
    case (.array(let array), .array(let element)): array.elementType == element
    case (.dictionary(let dictionary), .dictionary(let key, let value)):
      dictionary.keyType == key && dictionary.valueType == value
    case (.structure(let fields), .structure(let types)):
      fields.count == types.count && zip(fields, types).allSatisfy { $0.isOf($1) }
    default: false
    }
  }
}

extension DBusValue: Hashable {
  package static func == (left: DBusValue, right: DBusValue) -> Bool {
    switch (left, right) {
    case (.byte(let left), .byte(let right)): left == right
    case (.boolean(let left), .boolean(let right)): left == right
    case (.int16(let left), .int16(let right)): left == right
    case (.uint16(let left), .uint16(let right)): left == right
    case (.int32(let left), .int32(let right)): left == right
    case (.uint32(let left), .uint32(let right)): left == right
    case (.int64(let left), .int64(let right)): left == right
    case (.uint64(let left), .uint64(let right)): left == right
    case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
    case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
    case (.objectPath(let left), .objectPath(let right)): left == right
    case (.signature(let left), .signature(let right)): left == right
    case (.unixFD(let left), .unixFD(let right)): left == right
    case (.array(let left), .array(let right)): left == right
    case (.dictionary(let left), .dictionary(let right)): left == right
    case (.structure(let left), .structure(let right)): left == right
    case (.variant(let left), .variant(let right)): left == right
    case (.bytes(let left), .bytes(let right)): left == right
    default: false
    }
  }
}
