/// The base-ten floats of IEEE 11073-20601: exponent and mantissa in two's complement, the exponent in the high bits.
struct MedicalFloat {
  let mantissaBits: Int
  let exponentBits: Int

  /// SFLOAT, two bytes.
  static let short = MedicalFloat(mantissaBits: 12, exponentBits: 4)
  /// FLOAT, four bytes.
  static let long = MedicalFloat(mantissaBits: 24, exponentBits: 8)

  /// The largest mantissa of a number; larger mantissas encode NaN, NRes, the infinities and a reserved value.
  private var largestMantissa: Double { Double((1 << (mantissaBits - 1)) - 3) }
  private var exponents: ClosedRange<Int> { -(1 << (exponentBits - 1))...((1 << (exponentBits - 1)) - 1) }

  /// The largest finite value.
  var limit: Double { largestMantissa * Self.power(exponents.upperBound) }

  /// The nearest value, little endian: 36.5 is 365 x 10^-1.
  ///
  /// - Parameter decimals: the digits after the point, fewer where the mantissa has no room for them; nil for the
  ///   fewest that represent the value.
  func encode(_ value: Double, decimals: Int? = nil) -> [UInt8] {
    let half = 1 << (mantissaBits - 1)
    if value.isNaN { return pack(mantissa: half - 1, exponent: 0) }
    if value.isInfinite { return pack(mantissa: value > 0 ? half - 2 : -(half - 2), exponent: 0) }
    let value = min(max(value, -limit), limit)
    guard value != 0 || decimals != nil else { return pack(mantissa: 0, exponent: 0) }
    var exponent = max(exponents.lowerBound, decimals.map { -$0 } ?? exponents.lowerBound)
    while exponent < exponents.upperBound, Self.scaled(value, exponent).magnitude > largestMantissa { exponent += 1 }
    let rounded = Self.scaled(value, exponent)
    var mantissa = Int(min(max(rounded, -largestMantissa), largestMantissa))
    guard decimals == nil else { return pack(mantissa: mantissa, exponent: exponent) }
    guard mantissa != 0 else { return pack(mantissa: 0, exponent: 0) }
    while exponent < 0, mantissa % 10 == 0 {
      mantissa /= 10
      exponent += 1
    }
    return pack(mantissa: mantissa, exponent: exponent)
  }

  /// The mantissa of `value` for an exponent.
  private static func scaled(_ value: Double, _ exponent: Int) -> Double {
    (exponent < 0 ? value * power(-exponent) : value / power(exponent)).rounded()
  }

  private static func power(_ exponent: Int) -> Double {
    var result = 1.0
    for _ in 0..<max(exponent, 0) { result *= 10 }
    return result
  }

  private func pack(mantissa: Int, exponent: Int) -> [UInt8] {
    let bits = (mantissa & ((1 << mantissaBits) - 1)) | (exponent & ((1 << exponentBits) - 1)) << mantissaBits
    return (0..<((mantissaBits + exponentBits) / 8)).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) }
  }
}
