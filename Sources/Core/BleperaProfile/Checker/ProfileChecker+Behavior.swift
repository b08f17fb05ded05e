import BleperaBluetooth
import BleperaPropertyLists

/// Checks behaviors: their kinds and the keys of all generators.
extension ProfileChecker {
  /// The behavior, and the field in which an echo names its source.
  mutating func behavior(_ field: Field) -> (behavior: Behavior?, source: Field?) {
    guard let kind = kind(field), let section = SchemaSection.behaviors[kind] else { return (nil, nil) }
    guard let fields = fields(of: field.node, section, field.path) else { return (nil, nil) }
    if kind == .echo { return echo(fields) }
    if kind == .responses { return (responses(fields), nil) }
    let format = format(fields, kind)
    let interval = seconds(fields, .interval, in: Generator.intervals) ?? 1
    let start = start(fields)
    let prefix = bytes(fields, .prefix, orText: .prefixText) ?? []
    guard let format else { return (nil, nil) }
    let decimals = decimals(fields, format)
    let shape: Generator.Shape?
    switch kind {
    case .echo, .responses: shape = nil
    case .counter: shape = counter(fields, format)
    case .ramp: shape = ramp(fields, format)
    case .sine: shape = sine(fields, format)
    case .sequence: shape = sequence(fields, format, prefix: prefix, decimals: decimals)
    case .random: shape = random(fields, format)
    }
    guard let shape else { return (nil, nil) }
    if prefix.count > AttributeValue.maximumLength - 32, kind != .sequence,
      let field = fields[.prefix] ?? fields[.prefixText]
    {
      error(
        field, found: "a prefix of \(prefix.count) bytes",
        expected: "at most \(AttributeValue.maximumLength - 32), which leaves room for the value")
    }
    let generator = Generator(
      format: format, shape: shape, interval: .seconds(interval), start: start, prefix: prefix, decimals: decimals)
    return (.generator(generator), nil)
  }

  /// The kind of behavior. Where it is unknown, only keys that no kind has are reported.
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
    echo.initialValue = bytes(fields, .initialValue, orText: .initialText) ?? []
    guard fields.has(.source) else { return (.echo(echo), nil) }
    guard let field = fields[.source], let source = uuid(field) else { return (.echo(echo), nil) }
    echo.source = source
    return (.echo(echo), field)
  }

  private mutating func format(_ fields: Fields, _ kind: Behavior.Kind) -> ValueFormat? {
    guard let field = fields[.format], case .string(let name) = field.node.value else { return nil }
    let names = ValueFormat.names.map(\.name)
    guard let format = ValueFormat(named: name) else {
      // Other languages call a signed integer int16.
      let nearest = names.contains("s" + name) ? "s" + name : faults.nearest(to: name, in: names)
      let fix = nearest.map { "did you mean '\($0)'?" }
      error(field, found: Quote.text(name), expected: Quote.list(names), fix: fix)
      return nil
    }
    if format == .hex, kind != .sequence {
      error(field, found: "hex for the kind \(kind.rawValue)", expected: "a format that holds numbers")
      return nil
    }
    return format
  }

  private mutating func start(_ fields: Fields) -> Generator.Start {
    guard let field = fields[.startsAt], case .string(let name) = field.node.value else { return .launch }
    if let start = Generator.Start(rawValue: name) { return start }
    let names = Generator.Start.allCases.map(\.rawValue)
    let fix = faults.nearest(to: name, in: names).map { "did you mean '\($0)'?" }
    error(field, found: Quote.text(name), expected: Quote.list(names), fix: fix)
    return .launch
  }

  private mutating func decimals(_ fields: Fields, _ format: ValueFormat) -> Int? {
    guard let field = fields[.decimals] else { return nil }
    guard format == .medfloat16 || format == .medfloat32 else {
      faults.error(
        at: field.node.offset, field.path, found: "Decimals for \(format)",
        expected: "the format medfloat16 or medfloat32")
      return nil
    }
    return integer(fields, .decimals, in: Generator.decimalDigits)
  }

  /// A number that the format can represent; NaN and infinities only where `special` is true.
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

/// Checks the numbers of each kind of generator.
extension ProfileChecker {
  mutating func counter(_ fields: Fields, _ format: ValueFormat) -> Generator.Shape? {
    let start = number(fields, .start, format, default: 0)
    let step = step(fields, .counterStep, format, mayFall: true)
    guard let start, let step else { return nil }
    return .counter(start: start, step: step)
  }

  mutating func ramp(_ fields: Fields, _ format: ValueFormat) -> Generator.Shape? {
    let bounds = bounds(fields, format)
    let step = step(fields, .rampStep, format, mayFall: false)
    guard let bounds, let step else { return nil }
    return .ramp(minimum: bounds.minimum, maximum: bounds.maximum, step: step)
  }

  mutating func sine(_ fields: Fields, _ format: ValueFormat) -> Generator.Shape? {
    let bounds = bounds(fields, format)
    let period = seconds(fields, .period, in: 0.001...31_536_000)
    guard let bounds, let period else { return nil }
    return .sine(minimum: bounds.minimum, maximum: bounds.maximum, period: period)
  }

  mutating func random(_ fields: Fields, _ format: ValueFormat) -> Generator.Shape? {
    guard let bounds = bounds(fields, format) else { return nil }
    var seed: UInt64?
    if let field = fields[.seed], case .integer(let value) = field.node.value {
      seed = UInt64(truncatingIfNeeded: value)
    }
    return .random(minimum: bounds.minimum, maximum: bounds.maximum, seed: seed)
  }

  mutating func sequence(
    _ fields: Fields, _ format: ValueFormat, prefix: [UInt8], decimals: Int?
  ) -> Generator.Shape? {
    guard let field = fields[.values], case .array(let nodes) = field.node.value else { return nil }
    if nodes.isEmpty {
      faults.error(at: field.node.offset, field.path, found: "an empty array", expected: "at least one value")
      return nil
    }
    var values: [[UInt8]] = []
    for (index, node) in nodes.enumerated() {
      let isText = format == .utf8 || format == .hex
      let element = Field(node: isText ? node : node.read(as: .number), path: field.path.index(index))
      guard let value = element.bytes(format, decimals, &self) else { continue }
      if prefix.count + value.count > AttributeValue.maximumLength {
        error(
          element, found: "\(prefix.count + value.count) bytes, prefix and value",
          expected: "at most \(AttributeValue.maximumLength)")
      }
      values.append(value)
    }
    return .sequence(values)
  }

  private mutating func number(
    _ fields: Fields, _ key: SchemaKey, _ format: ValueFormat, default value: Number
  ) -> Number? {
    guard fields.has(key) else { return value }
    return fields[key].flatMap { number($0, format) }
  }

  private mutating func bounds(_ fields: Fields, _ format: ValueFormat) -> (minimum: Number, maximum: Number)? {
    let minimum = fields[.minimum].flatMap { number($0, format) }
    let maximum = fields[.maximum].flatMap { number($0, format) }
    guard let minimum, let maximum, let field = fields[.maximum] else { return nil }
    let isOrdered =
      if case .integer(let low) = minimum, case .integer(let high) = maximum {
        low < high
      } else {
        minimum.double < maximum.double
      }
    guard isOrdered else {
      error(field, found: "\(maximum)", expected: "more than Minimum, \(minimum)")
      return nil
    }
    return (minimum, maximum)
  }

  private mutating func step(_ fields: Fields, _ key: SchemaKey, _ format: ValueFormat, mayFall: Bool) -> Number? {
    guard fields.has(key) else { return 1 }
    guard let field = fields[key], let step = number(field.node) else { return nil }
    let expected = mayFall ? "another number than 0" : "more than 0"
    switch step {
    case .real where format.realLimit == nil:
      faults.error(
        at: field.node.offset, field.path, found: field.node.value.summary, expected: "an integer for \(format)")
      return nil
    case .real, .integer:
      guard step.double.isFinite, mayFall ? step.double != 0 : step.double > 0 else {
        error(field, found: "\(step)", expected: expected)
        return nil
      }
    }
    let span =
      format.integerRange.map { Double($0.upperBound) - Double($0.lowerBound) }
      ?? format.realLimit ?? .greatestFiniteMagnitude
    guard step.double.magnitude <= span else {
      error(field, found: "\(step)", expected: "at most \(span), the width of \(format)")
      return nil
    }
    return step
  }
}

extension Fields.Field {
  /// A value of a sequence in its format: numbers, text for utf8, hexadecimal digits or data for hex.
  fileprivate func bytes(_ format: ValueFormat, _ decimals: Int?, _ checker: inout ProfileChecker) -> [UInt8]? {
    switch (format, node.value) {
    case (_, .faulty): return nil
    case (.utf8, .string): return checker.text(self)
    case (.hex, .data), (.hex, .string): return checker.bytes(self)
    case (.unsigned, .integer), (.unsigned, .real), (.signed, .integer), (.signed, .real), (.float32, .integer),
      (.float32, .real), (.float64, .integer), (.float64, .real), (.medfloat16, .integer), (.medfloat16, .real),
      (.medfloat32, .integer), (.medfloat32, .real), (.utf8, .integer), (.utf8, .real):
      return checker.number(self, format, special: true).map { format.encode($0, decimals: decimals) }
    case (_, _):
      let expected =
        switch format {
        case .utf8: "a string or a number for utf8"
        case .hex: "a string of hexadecimal digits, or data, for hex"
        case .unsigned, .signed: "an integer for \(format)"
        case .float32, .float64, .medfloat16, .medfloat32: "a number for \(format)"
        }
      checker.faults.error(at: node.offset, path, found: node.value.summary, expected: expected)
      return nil
    }
  }
}
