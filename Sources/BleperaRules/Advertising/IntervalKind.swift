/// Which of a rule set's two advertising intervals applies (R3).
package enum IntervalKind: String, Hashable, Sendable {
  case foreground
  case background
}
