package import BleperaDBus

extension DBusValue {
  /// An array of one type; `bytes` if the type is `byte`.
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
}

extension DBusArray {
  package init(of elementType: DBusType, _ elements: [DBusValue]) throws(DBusTypeMismatch) {
    guard elementType != .byte else {
      throw DBusTypeMismatch(code: .arrayOfBytes, index: 0, expected: .byte, found: .byte)
    }
    for (index, element) in elements.enumerated() where !element.isOf(elementType) {
      throw DBusTypeMismatch(code: .element, index: index, expected: elementType, found: element.type)
    }
    self.init(checkedElements: elements, of: elementType)
  }
}

extension DBusDictionary {
  package init(key keyType: DBusType, value valueType: DBusType, _ entries: [Entry]) throws(DBusTypeMismatch) {
    guard keyType.isBasic else {
      throw DBusTypeMismatch(code: .keyNotBasic, index: 0, expected: .string, found: keyType)
    }
    for (index, entry) in entries.enumerated() {
      guard entry.key.isOf(keyType) else {
        throw DBusTypeMismatch(code: .key, index: index, expected: keyType, found: entry.key.type)
      }
      guard entry.value.isOf(valueType) else {
        throw DBusTypeMismatch(code: .value, index: index, expected: valueType, found: entry.value.type)
      }
    }
    self.init(checkedEntries: entries, key: keyType, value: valueType)
  }
}

/// An element or entry that does not fit the type of its container.
package struct DBusTypeMismatch: Error, Hashable, Sendable {
  package enum Code: String, Sendable {
    case element, key, value
    /// The key type is a container.
    case keyNotBasic
    /// An array of bytes must be `DBusValue.bytes`.
    case arrayOfBytes
  }

  package let code: Code
  /// The index of the element or entry; 0 for an error of the container itself.
  package let index: Int
  package let expected: DBusType
  package let found: DBusType
}

extension DBusTypeMismatch: CustomStringConvertible {
  package var description: String {
    switch code {
    case .element: "Element \(index) of an array of \(expected) is of type \(found)."
    case .key: "The key of entry \(index) is of type \(found) in a dictionary with keys of \(expected)."
    case .value: "The value of entry \(index) is of type \(found) in a dictionary with values of \(expected)."
    case .keyNotBasic: "A dictionary cannot have keys of type \(found), which is not basic."
    case .arrayOfBytes: "An array of bytes is made as bytes, not as an array of values."
    }
  }
}
