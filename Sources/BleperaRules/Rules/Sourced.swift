/// A value and its source.
package struct Sourced<Value: Hashable & Sendable>: Hashable, Sendable {
  package let value: Value
  package let standing: Standing
  /// One line: the phone and the file, the document or the report; for a value of blepera's own what is known instead.
  package let source: String

  package init(_ value: Value, _ standing: Standing, _ source: String) {
    self.value = value
    self.standing = standing
    self.source = source
  }
}

/// How a value of a rule set is known.
package enum Standing: String, Hashable, Encodable, CaseIterable, Sendable {
  /// In a published capture or log of a phone's radio; the source names the phone and the file.
  case measured
  /// In a text of Apple or a specification.
  case documented
  /// A developer reports the value without a capture.
  case reported
  /// blepera's own, within what is known.
  case ours
}
