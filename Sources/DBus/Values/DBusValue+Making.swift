extension DBusValue {
  /// An array of one type, as `bytes` where that is `byte`.
  package static func array(of type: DBusType, _ elements: [DBusValue]) throws(DBusTypeMismatch) -> DBusValue {
    guard type == .byte else { return .array(try DBusArray(of: type, elements)) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(elements.count)
    for (index, element) in elements.enumerated() {
      guard case .byte(let byte) = element else {
        throw DBusTypeMismatch(code: .element, index: index, expected: .byte, found: element.type)
      }
      bytes.append(byte)
    }
    return .bytes(bytes)
  }

  package static func dictionary(
    key: DBusType, value: DBusType, _ entries: [DBusDictionary.Entry]
  ) throws(DBusTypeMismatch) -> DBusValue {
    .dictionary(try DBusDictionary(key: key, value: value, entries))
  }

  /// `as`.
  package static func strings(_ strings: [String]) -> DBusValue {
    .array(DBusArray(checkedElements: strings.map { .string($0) }, of: .string))
  }

  /// `ao`.
  package static func paths(_ paths: [ObjectPath]) -> DBusValue {
    .array(DBusArray(checkedElements: paths.map { .objectPath($0) }, of: .objectPath))
  }

  /// `a{sv}`, each value put into a variant of its own, in the order given.
  package static func properties(_ properties: [(String, DBusValue)]) -> DBusValue {
    .dictionary(
      DBusDictionary(
        checkedEntries: properties.map { (.string($0.0), .variant($0.1)) }, key: .string, value: .variant))
  }

  /// `a{qv}`, each value put into a variant of its own, in the order given.
  package static func variants(_ entries: [(UInt16, DBusValue)]) -> DBusValue {
    .dictionary(
      DBusDictionary(
        checkedEntries: entries.map { (.uint16($0.0), .variant($0.1)) }, key: .uint16, value: .variant))
  }
}
