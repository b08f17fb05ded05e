extension ValueFormat {
  /// The number's bytes. What the format cannot hold becomes the nearest that it can; `hex` holds no numbers.
  public func encode(_ number: Number) -> [UInt8] {
    switch self {
    case .unsigned, .signed:
      let range = integerRange ?? 0...0
      return encode(pattern: UInt64(truncatingIfNeeded: min(max(number.integer, range.lowerBound), range.upperBound)))
    case .float32: return Self.littleEndian(UInt64(Self.float(number.double).bitPattern), 4)
    case .float64: return Self.littleEndian(number.double.bitPattern, 8)
    case .medfloat16: return MedicalFloat.short.encode(number.double)
    case .medfloat32: return MedicalFloat.long.encode(number.double)
    case .utf8: return Array(Self.text(number).utf8)
    case .hex: return []
    }
  }

  /// The low bytes of `pattern`, as many as the integer format has.
  package func encode(pattern: UInt64) -> [UInt8] {
    switch self {
    case .unsigned(let bytes), .signed(let bytes): Self.littleEndian(pattern, Self.width(bytes))
    case .utf8: Array("\(Int64(bitPattern: pattern))".utf8)
    case .float32, .float64, .medfloat16, .medfloat32, .hex: []
    }
  }

  private static func littleEndian(_ value: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
  }

  /// The nearest float that is finite when the double is.
  private static func float(_ value: Double) -> Float {
    guard value.isFinite else { return Float(value) }
    let limit = Double(Float.greatestFiniteMagnitude)
    return Float(min(max(value, -limit), limit))
  }

  /// Decimal digits, of a real at most three behind the point.
  private static func text(_ number: Number) -> String {
    guard case .real(let value) = number else { return number.description }
    guard abs(value) < 1e12 else { return "\(value)" }
    return "\((value * 1_000).rounded() / 1_000)"
  }
}
