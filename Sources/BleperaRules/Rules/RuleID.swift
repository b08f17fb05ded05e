/// The number of a rule; `blepera rules` prints every rule with its values and sources.
package enum RuleID: Int, Hashable, CaseIterable, Sendable, CustomStringConvertible {
  case r1 = 1
  case r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12, r13, r14, r15, r16

  /// `R1`.
  package var description: String { "R\(rawValue)" }
}
