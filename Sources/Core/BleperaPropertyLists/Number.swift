import BleperaBluetooth

/// A number of a property list: an exact `<integer>` or a `<real>`.
package enum Number: Hashable, Sendable {
  case integer(Int128)
  case real(Double)

  /// The nearest double.
  package var double: Double {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    }
  }

  /// The number without its fraction, clamped to the range of `Int64` and `UInt64` together; 0 for NaN.
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
  package init(integerLiteral value: Int64) { self = .integer(Int128(value)) }
  package init(floatLiteral value: Double) { self = .real(value) }
}

extension Number: CustomStringConvertible {
  package var description: String {
    switch self {
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    }
  }
}

/// Parses the numbers of XML property lists.
package enum PropertyListNumber {
  package static let range = Int128(Int64.min)...Int128(UInt64.max)

  /// Decimal, or hexadecimal with `0x`, with an optional sign; nil outside `range`.
  package static func integer(_ text: ArraySlice<UInt8>) -> Int128? {
    var digits = text
    var isNegative = false
    if let sign = digits.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
      isNegative = sign == UInt8(ascii: "-")
      digits = digits.dropFirst()
    }
    var base: Int128 = 10
    if digits.starts(with: "0x".utf8) || digits.starts(with: "0X".utf8) {
      base = 16
      digits = digits.dropFirst(2)
    }
    guard !digits.isEmpty else { return nil }
    var value: Int128 = 0
    for character in digits {
      guard let digit = Hex.digit(character), Int128(digit) < base else { return nil }
      value = value * base + Int128(digit)
      guard value <= range.upperBound else { return nil }
    }
    if isNegative { value = -value }
    return range.contains(value) ? value : nil
  }

  /// Decimal with an optional fraction and exponent, or nan, inf or infinity in any letter case.
  package static func real(_ text: ArraySlice<UInt8>) -> Double? {
    // No double needs more digits; the limit bounds the time of the conversion.
    guard !text.isEmpty, text.count <= 400 else { return nil }
    let string = String(decoding: text, as: UTF8.self)
    let word = string.lowercased()
    let unsigned = word.hasPrefix("+") || word.hasPrefix("-") ? String(word.dropFirst()) : word
    if unsigned == "nan" { return .nan }
    if unsigned == "inf" || unsigned == "infinity" { return word.hasPrefix("-") ? -.infinity : .infinity }
    let plain = Array("0123456789+-.eE".utf8)
    guard text.allSatisfy({ plain.contains($0) }), let value = Double(string), value.isFinite else { return nil }
    return value
  }
}
