/// A value of a property list and its place in the file.
package struct PropertyListNode: Sendable {
  package let value: PropertyListValue
  /// Where the value begins, in bytes from the start of the file: in XML at the `<` of its tag.
  package let offset: Int
  /// Where what it says begins: in XML behind the tag.
  package let contentOffset: Int

  package init(_ value: PropertyListValue, at offset: Int, content: Int? = nil) {
    self.value = value
    self.offset = offset
    contentOffset = content ?? offset
  }
}
