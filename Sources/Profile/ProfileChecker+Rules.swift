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

  /// An ATT error by its name or its code; 0 is no error but success.
  private mutating func attError(_ field: Field) -> ATTError? {
    let codes = 1...Int128(UInt8.max)
    switch field.node.value {
    case .integer(let code):
      if codes.contains(code) { return ATTError(rawValue: UInt8(code)) }
      error(
        field, found: code == 0 ? "0, which is success" : "\(code)",
        expected: "\(codes.lowerBound) to \(codes.upperBound), or the name of an ATT error")
      return nil
    case .string(let name):
      if let error = ATTError.names.first(where: { $0.name == name })?.error { return error }
      let names = ATTError.names.map(\.name)
      let fix = faults.nearest(to: name, in: names).map { "did you mean '\($0)'?" }
      error(
        field, found: Quote.text(name),
        expected: Quote.list(names + ["an integer from \(codes.lowerBound) to \(codes.upperBound)"]), fix: fix)
      return nil
    case .dictionary, .array, .real, .boolean, .date, .data, .faulty: return nil
    }
  }
}
