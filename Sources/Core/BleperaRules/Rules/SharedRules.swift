import BleperaBluetooth

/// A rule set by reference, because it has some fifty values, each with its source, and policies and apps are copied.
@dynamicMemberLookup
final class SharedRules: Hashable, Sendable {
  let rules: RuleSet

  init(_ rules: RuleSet) { self.rules = rules }

  // Inlined, so that a constant path is a load of the value.
  @inline(__always)
  subscript<Value>(dynamicMember path: KeyPath<RuleSet, Value>) -> Value { rules[keyPath: path] }

  func applying(_ overrides: RuleOverrides) -> SharedRules {
    overrides == RuleOverrides() ? self : SharedRules(rules.applying(overrides))
  }

  static func == (left: SharedRules, right: SharedRules) -> Bool { left === right || left.rules == right.rules }

  func hash(into hasher: inout Hasher) { hasher.combine(rules) }
}
