/// An array that knows the type of its elements when it has none; never one of bytes, which is `DBusValue.bytes`.
package struct DBusArray: Hashable, Sendable {
  package let elementType: DBusType
  package let elements: [DBusValue]

  package init(of elementType: DBusType, _ elements: [DBusValue]) throws(DBusTypeMismatch) {
    guard elementType != .byte else {
      throw DBusTypeMismatch(code: .arrayOfBytes, index: 0, expected: .byte, found: .byte)
    }
    for (index, element) in elements.enumerated() where !element.isOf(elementType) {
      throw DBusTypeMismatch(code: .element, index: index, expected: elementType, found: element.type)
    }
    self.init(checkedElements: elements, of: elementType)
  }

  /// For elements that are of the type by the way they were made.
  init(checkedElements elements: [DBusValue], of elementType: DBusType) {
    self.elementType = elementType
    self.elements = elements
  }
}
