/// A value of a rule set as text.
package struct RuleValue: Hashable, Sendable {
  /// Nil for a value that does not belong to a rule of iOS.
  package let rule: RuleID?
  /// The name of the property of `RuleSet`.
  package let name: String
  /// The value with its unit.
  package let text: String
  package let standing: Standing
  package let source: String
  /// Whether the program follows the value; otherwise it is known, and nothing uses it yet.
  package var isUsed = true
}
