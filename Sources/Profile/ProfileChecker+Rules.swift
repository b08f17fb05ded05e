internal import GATT

/// What stands in place of the rule set's values.
extension ProfileChecker {
  mutating func rules(_ peripheral: Fields) -> Profile.Rules {
    var rules = Profile.Rules()
    guard let field = peripheral[.rules], let fields = fields(of: field.node, .rules, field.path) else { return rules }
    rules.foregroundInterval = milliseconds(fields, .foregroundInterval)
    rules.backgroundInterval = milliseconds(fields, .backgroundInterval)
    rules.suspendedError = fields[.suspendedError].flatMap { attError($0) }
    if case .boolean(let value)? = fields[.disablesCachedValues]?.node.value { rules.disablesCachedValues = value }
    return rules
  }

  private mutating func milliseconds(_ fields: Fields, _ key: SchemaKey) -> Double? {
    quantity(fields, key, of: "milliseconds", in: Profile.Rules.intervals)
  }
}
