/// A value and its source.
package struct Sourced<Value: Hashable & Sendable>: Hashable, Sendable {
  package let value: Value
  package let confidence: Confidence
  /// One line: the document or capture, or a note that no value is published and this one is blepera's own.
  package let source: String

  package init(_ value: Value, _ confidence: Confidence, _ source: String) {
    self.value = value
    self.confidence = confidence
    self.source = source
  }
}

/// How well a value of a rule set is known.
package enum Confidence: String, Hashable, Encodable, CaseIterable, Sendable {
  /// Apple documents the value.
  case documented
  /// The value was read from a published capture of a radio.
  case captured
  /// A developer reports the value without the capture.
  case reported
  /// No value is published: this one is blepera's own, within what is known.
  case ours
}
