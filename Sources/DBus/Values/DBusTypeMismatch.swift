/// A container was to be made of something its type does not allow.
package struct DBusTypeMismatch: Error, Hashable, Sendable {
  package enum Code: String, Sendable {
    case element, key, value
    /// The key type is a container.
    case keyNotBasic
    /// An array of bytes is `DBusValue.bytes`.
    case arrayOfBytes
  }

  package let code: Code
  /// The index of the element or entry, 0 for a fault of the container itself.
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
