/// The description of a rule.
package struct Rule: Hashable, Sendable {
  package let id: RuleID
  /// A word or two.
  package let name: String
  /// One sentence.
  package let meaning: String
  package let source: String
  /// Which apps, in which state, since which iOS.
  package let scope: String

  init(_ id: RuleID, _ name: String, _ meaning: String, scope: String, source: String) {
    self.id = id
    self.name = name
    self.meaning = meaning
    self.scope = scope
    self.source = source
  }
}
