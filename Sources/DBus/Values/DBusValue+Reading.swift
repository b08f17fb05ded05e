/// What a value holds, nil where it is of another type. None of these but `unwrapped` and `asProperties` looks into
/// variants.
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

  /// An integer of any width and sign; nil for a greater one than `Int64` holds.
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

  /// The first value that is no variant, through as many as there are.
  package var unwrapped: DBusValue {
    var value = self
    while case .variant(let content) = value { value = content }
    return value
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
