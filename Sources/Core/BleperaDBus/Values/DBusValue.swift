/// A value of any D-Bus type (D-Bus specification, "Type System").
///
/// Two values are equal if they have the same bytes on the wire: strings byte for byte, doubles bit for bit. File
/// descriptors are compared by identity, and dictionaries regardless of order.
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
  /// Sent up to its first zero byte, which D-Bus cannot carry.
  case string(String)
  case objectPath(ObjectPath)
  case signature(Signature)
  case unixFD(UnixFileDescriptor)
  /// An array of any type except `byte`.
  case array(DBusArray)
  case dictionary(DBusDictionary)
  /// Has at least one field; `MessageLimits` refuses an empty structure.
  case structure([DBusValue])
  indirect case variant(DBusValue)
  /// The only representation of `ay`.
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

  /// Equivalent to `type == other`, without creating a type.
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

extension DBusValue {
  /// `as`.
  package static func strings(_ strings: [String]) -> DBusValue {
    .array(DBusArray(checkedElements: strings.map { .string($0) }, of: .string))
  }

  /// `ao`.
  package static func paths(_ paths: [ObjectPath]) -> DBusValue {
    .array(DBusArray(checkedElements: paths.map { .objectPath($0) }, of: .objectPath))
  }

  /// `a{sv}` in the given order, each value wrapped in a variant.
  package static func properties(_ properties: [(String, DBusValue)]) -> DBusValue {
    .dictionary(
      DBusDictionary(
        checkedEntries: properties.map { (.string($0.0), .variant($0.1)) }, key: .string, value: .variant))
  }

  /// `a{qv}` in the given order, each value wrapped in a variant.
  package static func variants(_ entries: [(UInt16, DBusValue)]) -> DBusValue {
    .dictionary(
      DBusDictionary(
        checkedEntries: entries.map { (.uint16($0.0), .variant($0.1)) }, key: .uint16, value: .variant))
  }
}

/// The content of a value; nil if the value has another type. Only `unwrapped` and `asProperties` look into variants.
extension DBusValue {
  package var bool: Bool? {
    guard case .boolean(let value) = self else { return nil }
    return value
  }

  /// A byte or an unsigned integer of any width.
  package var unsigned: UInt64? {
    switch self {
    case .byte(let value): UInt64(value)
    case .uint16(let value): UInt64(value)
    case .uint32(let value): UInt64(value)
    case .uint64(let value): value
    default: nil
    }
  }

  /// An integer of any width and sign; nil if it exceeds `Int64`.
  package var integer: Int64? {
    switch self {
    case .int16(let value): Int64(value)
    case .int32(let value): Int64(value)
    case .int64(let value): value
    default: unsigned.flatMap { Int64(exactly: $0) }
    }
  }

  package var text: String? {
    guard case .string(let value) = self else { return nil }
    return value
  }

  package var path: ObjectPath? {
    guard case .objectPath(let value) = self else { return nil }
    return value
  }

  package var fileDescriptor: UnixFileDescriptor? {
    guard case .unixFD(let value) = self else { return nil }
    return value
  }

  package var byteArray: [UInt8]? {
    guard case .bytes(let value) = self else { return nil }
    return value
  }

  /// An `as`.
  package var stringArray: [String]? {
    guard case .array(let array) = self, array.elementType == .string else { return nil }
    return array.elements.compactMap(\.text)
  }

  /// An `ao`.
  package var pathArray: [ObjectPath]? {
    guard case .array(let array) = self, array.elementType == .objectPath else { return nil }
    return array.elements.compactMap(\.path)
  }

  /// The value inside any number of nested variants.
  package var unwrapped: DBusValue {
    var value = self
    while case .variant(let content) = value { value = content }
    return value
  }

  package var dictionary: DBusDictionary? {
    guard case .dictionary(let dictionary) = self else { return nil }
    return dictionary
  }

  /// An `a{sv}` by name, with its values unwrapped.
  package var asProperties: [String: DBusValue]? {
    guard case .dictionary(let dictionary) = self, dictionary.keyType == .string, dictionary.valueType == .variant
    else { return nil }
    return dictionary.entries.reduce(into: [:]) { properties, entry in
      if let name = entry.key.text { properties[name] = entry.value.unwrapped }
    }
  }
}
