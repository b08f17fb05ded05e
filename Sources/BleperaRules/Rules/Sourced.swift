/// A value and where it is from.
package struct Sourced<Value: Hashable & Sendable>: Hashable, Sendable {
  package let value: Value
  /// One line: the document or capture, or that nobody has published the value and it is blepera's own.
  package let source: String

  package init(_ value: Value, _ source: String) {
    self.value = value
    self.source = source
  }
}
