package struct Rule: Hashable, Sendable {
  package let id: RuleID
  /// A word or two.
  package let name: String
  /// A sentence.
  package let meaning: String
  package let source: String
  /// The apps and their states that the rule affects, and the first version of iOS.
  package let scope: String

  init(_ id: RuleID, _ name: String, _ meaning: String, scope: String, source: String) {
    self.id = id
    self.name = name
    self.meaning = meaning
    self.scope = scope
    self.source = source
  }
}

/// The number of a rule; `blepera rules` prints every rule with its values and sources.
package enum RuleID: Int, Hashable, CaseIterable, Sendable, CustomStringConvertible {
  case r1 = 1
  case r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12, r13, r14, r15, r16, r17, r18, r19

  /// `R1`.
  package var description: String { "R\(rawValue)" }
}
