internal import GATT

/// Behaviors: their kinds and what all generators have.
extension ProfileChecker {
  /// The behavior, and where an echo names its source.
  mutating func behavior(_ field: Field) -> (behavior: Behavior?, source: Field?) {
    guard let kind = kind(field), let section = SchemaSection.behaviors[kind] else { return (nil, nil) }
    guard let fields = fields(of: field.node, section, field.path) else { return (nil, nil) }
    if kind == .echo { return echo(fields) }
    let format = format(fields, kind)
    let interval = seconds(fields, .interval, in: Generator.intervals) ?? 1
    let prefix = fields[.prefix].flatMap { bytes($0) } ?? []
    guard let format else { return (nil, nil) }
    let shape: Generator.Shape?
    switch kind {
    case .echo: shape = nil
    case .counter: shape = counter(fields, format)
    case .ramp: shape = ramp(fields, format)
    case .sine: shape = sine(fields, format)
    case .sequence: shape = sequence(fields, format, prefix: prefix)
    case .random: shape = random(fields, format)
    }
    guard let shape else { return (nil, nil) }
    if prefix.count > AttributeValue.maximumLength - 32, kind != .sequence, let field = fields[.prefix] {
      error(
        field, found: "a prefix of \(prefix.count) bytes",
        expected: "at most \(AttributeValue.maximumLength - 32), which leaves room for the value")
    }
    return (.generator(Generator(format: format, shape: shape, interval: .seconds(interval), prefix: prefix)), nil)
  }

  /// Which behavior it is. Without that, nothing else of it is checked but whether some kind has such a key.
  private mutating func kind(_ field: Field) -> Behavior.Kind? {
    guard case .dictionary(let dictionary) = field.node.value else { return nil }
    let names = Behavior.Kind.allCases.map(\.rawValue)
    if let entry = dictionary[SchemaKey.kind.name], case .string(let name) = entry.node.value {
      if let kind = Behavior.Kind(rawValue: name) { return kind }
      let fix = faults.nearest(to: name, in: names).map { "did you mean '\($0)'?" }
      faults.error(
        at: entry.node.contentOffset, field.path.key(SchemaKey.kind.name), found: Quote.text(name),
        expected: Quote.list(names), fix: fix)
    }
    _ = fields(of: field.node, .anyBehavior, field.path)
    return nil
  }

  private mutating func echo(_ fields: Fields) -> (behavior: Behavior?, source: Field?) {
    var echo = Echo()
    if let field = fields[.initialValue] { echo.initialValue = bytes(field) ?? [] }
    guard fields.has(.source) else { return (.echo(echo), nil) }
    guard let field = fields[.source], let source = uuid(field) else { return (.echo(echo), nil) }
    echo.source = source
    return (.echo(echo), field)
  }

  private mutating func format(_ fields: Fields, _ kind: Behavior.Kind) -> ValueFormat? {
    guard let field = fields[.format], case .string(let name) = field.node.value else { return nil }
    let names = ValueFormat.names.map(\.name)
    guard let format = ValueFormat(named: name) else {
      let fix = faults.nearest(to: name, in: names).map { "did you mean '\($0)'?" }
      error(field, found: Quote.text(name), expected: Quote.list(names), fix: fix)
      return nil
    }
    if format == .hex, kind != .sequence {
      error(field, found: "hex for the kind \(kind.rawValue)", expected: "a format that holds numbers")
      return nil
    }
    return format
  }

  /// A number that the format can hold; those that are not finite only where `special` is.
  mutating func number(_ field: Field, _ format: ValueFormat, special: Bool = false) -> Number? {
    guard let number = number(field.node) else { return nil }
    switch number {
    case .integer(let value):
      if let range = format.integerRange {
        if range.contains(value) { return number }
        error(field, found: "\(value)", expected: "\(range.lowerBound) to \(range.upperBound), the range of \(format)")
        return nil
      }
    case .real(let value):
      if special, !value.isFinite, format != .utf8, format.realLimit != nil { return number }
    }
    guard let limit = format.realLimit else {
      faults.error(
        at: field.node.offset, field.path, found: field.node.value.summary, expected: "an integer for \(format)")
      return nil
    }
    guard number.double.magnitude <= limit else {
      error(field, found: "\(number)", expected: "\(-limit) to \(limit), the range of \(format)")
      return nil
    }
    return number
  }
}
