/// One value of a rule set, as it is listed.
package struct RuleValue: Hashable, Sendable {
  /// Nil for a value that is no rule of iOS.
  package let rule: RuleID?
  /// The name of the property of `RuleSet`.
  package let name: String
  /// The value with its unit.
  package let text: String
  package let source: String
}
