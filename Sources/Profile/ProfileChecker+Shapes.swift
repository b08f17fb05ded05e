internal import GATT

/// The numbers of each kind of generator.
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

  mutating func sequence(_ fields: Fields, _ format: ValueFormat, prefix: [UInt8]) -> Generator.Shape? {
    guard let field = fields[.values], case .array(let nodes) = field.node.value else { return nil }
    if nodes.isEmpty {
      faults.error(at: field.node.offset, field.path, found: "an empty array", expected: "at least one value")
      return nil
    }
    var values: [[UInt8]] = []
    for (index, node) in nodes.enumerated() {
      let element = Field(node: node, path: field.path.index(index))
      guard let value = element.bytes(format, &self) else { continue }
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
  fileprivate func bytes(_ format: ValueFormat, _ checker: inout ProfileChecker) -> [UInt8]? {
    switch (format, node.value) {
    case (_, .faulty): return nil
    case (.utf8, .string): return checker.bytes(self)
    case (.hex, .data): return checker.bytes(self)
    case (.hex, .string(let text)):
      guard let bytes = Hex.bytes(text) else {
        checker.error(self, found: Quote.text(text), expected: "pairs of hexadecimal digits")
        return nil
      }
      return bytes
    case (.unsigned, .integer), (.unsigned, .real), (.signed, .integer), (.signed, .real), (.float32, .integer),
      (.float32, .real), (.float64, .integer), (.float64, .real), (.medfloat16, .integer), (.medfloat16, .real),
      (.medfloat32, .integer), (.medfloat32, .real), (.utf8, .integer), (.utf8, .real):
      return checker.number(self, format, special: true).map(format.encode)
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
