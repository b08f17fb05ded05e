package import BleperaPropertyLists

/// The encoding of a number as a characteristic's bytes, little endian, with the names of the GATT Specification
/// Supplement.
package enum ValueFormat: Hashable, Sendable {
  /// `uint8` to `uint64`; the width in bytes is 1 to 8.
  case unsigned(bytes: Int)
  /// `sint8` to `sint64`, two's complement; the width in bytes is 1 to 8.
  case signed(bytes: Int)
  /// IEEE 754 binary32.
  case float32
  /// IEEE 754 binary64.
  case float64
  /// The SFLOAT of IEEE 11073-20601: an exponent of 4 bits and a mantissa of 12, base ten.
  case medfloat16
  /// The FLOAT of IEEE 11073-20601: an exponent of 8 bits and a mantissa of 24, base ten.
  case medfloat32
  /// Text; a number as its decimal digits.
  case utf8
  /// Bytes, in a profile as hexadecimal digits.
  case hex

  /// Every name that a profile may use; `float` is a synonym of `float32`.
  package static let names: [(name: String, format: ValueFormat)] =
    (1...8).filter { $0 != 7 }.map { ("uint\($0 * 8)", .unsigned(bytes: $0)) }
    + (1...8).filter { $0 != 7 }.map { ("sint\($0 * 8)", .signed(bytes: $0)) } + [
      ("float32", .float32), ("float64", .float64), ("medfloat16", .medfloat16), ("medfloat32", .medfloat32),
      ("utf8", .utf8), ("hex", .hex), ("float", .float32),
    ]

  /// The format with a name that a profile may use; nil for any other name.
  package init?(named name: String) {
    guard let match = Self.names.first(where: { $0.name == name }) else { return nil }
    self = match.format
  }

  /// The integers that the format can represent, for text as for `sint64`; nil for formats of reals or of no numbers.
  package var integerRange: ClosedRange<Int128>? {
    switch self {
    case .unsigned(let bytes): 0...((1 << Int128(Self.width(bytes) * 8)) - 1)
    case .signed(let bytes): -(1 << Int128(Self.width(bytes) * 8 - 1))...((1 << Int128(Self.width(bytes) * 8 - 1)) - 1)
    case .utf8: Int128(Int64.min)...Int128(Int64.max)
    case .float32, .float64, .medfloat16, .medfloat32, .hex: nil
    }
  }

  /// The largest finite magnitude that the format can represent; nil for formats without reals.
  package var realLimit: Double? {
    switch self {
    case .float32: Double(Float.greatestFiniteMagnitude)
    case .float64: .greatestFiniteMagnitude
    case .medfloat16: MedicalFloat.short.limit
    case .medfloat32: MedicalFloat.long.limit
    case .utf8: 1e15
    case .unsigned, .signed, .hex: nil
    }
  }

  /// The width of an integer format in bytes, clamped to 1 to 8.
  static func width(_ bytes: Int) -> Int { min(max(bytes, 1), 8) }
}

extension ValueFormat: CustomStringConvertible {
  package var description: String { Self.names.first { $0.format == self }?.name ?? "integer of another width" }
}

extension ValueFormat {
  /// The bytes of the nearest number that the format can represent; none for `hex`.
  ///
  /// - Parameter decimals: the digits after the point in a medical float; nil for as many as the number has.
  package func encode(_ number: Number, decimals: Int? = nil) -> [UInt8] {
    switch self {
    case .unsigned, .signed:
      let range = integerRange ?? 0...0
      return encode(pattern: UInt64(truncatingIfNeeded: min(max(number.integer, range.lowerBound), range.upperBound)))
    case .float32: return Self.littleEndian(UInt64(Self.float(number.double).bitPattern), 4)
    case .float64: return Self.littleEndian(number.double.bitPattern, 8)
    case .medfloat16: return MedicalFloat.short.encode(number.double, decimals: decimals)
    case .medfloat32: return MedicalFloat.long.encode(number.double, decimals: decimals)
    case .utf8: return Array(Self.text(number).utf8)
    case .hex: return []
    }
  }

  /// The low bytes of `pattern`, by the width of the integer format.
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

  /// The nearest float, finite for a finite double.
  private static func float(_ value: Double) -> Float {
    guard value.isFinite else { return Float(value) }
    let limit = Double(Float.greatestFiniteMagnitude)
    return Float(min(max(value, -limit), limit))
  }

  /// Decimal digits, for a real at most three after the point.
  private static func text(_ number: Number) -> String {
    guard case .real(let value) = number else { return number.description }
    guard abs(value) < 1e12 else { return "\(value)" }
    return "\((value * 1_000).rounded() / 1_000)"
  }
}
