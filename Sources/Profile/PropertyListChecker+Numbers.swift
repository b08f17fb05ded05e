package import GATT

/// Numbers with their units, and ATT errors.
extension PropertyListChecker {
  package mutating func seconds(_ fields: Fields, _ key: SchemaKey, in range: ClosedRange<Double>) -> Double? {
    quantity(fields, key, of: "seconds", in: range)
  }

  package mutating func quantity(
    _ fields: Fields, _ key: SchemaKey, of unit: String, in range: ClosedRange<Double>
  ) -> Double? {
    guard let field = fields[key], let number = number(field.node) else { return nil }
    guard range.contains(number.double) else {
      error(field, found: "\(number)", expected: "\(unit) from \(range.lowerBound) to \(range.upperBound)")
      return nil
    }
    return number.double
  }

  package func number(_ node: PropertyListNode) -> Number? {
    switch node.value {
    case .integer(let value): .integer(value)
    case .real(let value): .real(value)
    case .dictionary, .array, .string, .boolean, .date, .data, .faulty: nil
    }
  }

  /// An ATT error by its name or its code; 0 is no error but success.
  package mutating func attError(_ field: Fields.Field) -> ATTError? {
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
