/// A number as a profile writes it: `<integer>` stays exact, `<real>` is a double.
public enum Number: Hashable, Sendable {
  case integer(Int128)
  case real(Double)

  /// The nearest double.
  public var double: Double {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    }
  }

  /// The number without its fraction, in the range that `Int64` and `UInt64` have together; 0 for what is no number.
  package var integer: Int128 {
    let range = PropertyListNumber.range
    switch self {
    case .integer(let value): return min(max(value, range.lowerBound), range.upperBound)
    case .real(let value):
      guard !value.isNaN else { return 0 }
      return Int128(min(max(value, -0x1p63), 0x1p64 - 2048).rounded(.towardZero))
    }
  }

  package var isInteger: Bool {
    if case .integer = self { true } else { false }
  }
}

extension Number: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
  public init(integerLiteral value: Int64) { self = .integer(Int128(value)) }
  public init(floatLiteral value: Double) { self = .real(value) }
}

extension Number: CustomStringConvertible {
  public var description: String {
    switch self {
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    }
  }
}
