/// How a value becomes the bytes of a characteristic, little endian, with the names that the GATT Specification
/// Supplement has for formats.
public enum ValueFormat: Hashable, Sendable {
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
  /// Text: of a number, its decimal digits.
  case utf8
  /// Bytes, written in the profile as hexadecimal digits.
  case hex

  /// Every name that a profile may use; `float` is another word for `float32`.
  public static let names: [(name: String, format: ValueFormat)] =
    (1...8).filter { $0 != 7 }.map { ("uint\($0 * 8)", .unsigned(bytes: $0)) }
    + (1...8).filter { $0 != 7 }.map { ("sint\($0 * 8)", .signed(bytes: $0)) } + [
      ("float32", .float32), ("float64", .float64), ("medfloat16", .medfloat16), ("medfloat32", .medfloat32),
      ("utf8", .utf8), ("hex", .hex), ("float", .float32),
    ]

  public init?(named name: String) {
    guard let match = Self.names.first(where: { $0.name == name }) else { return nil }
    self = match.format
  }

  /// The integers that it can hold, `sint64`'s for text; nil for formats that hold reals or no numbers.
  public var integerRange: ClosedRange<Int128>? {
    switch self {
    case .unsigned(let bytes): 0...((1 << Int128(Self.width(bytes) * 8)) - 1)
    case .signed(let bytes): -(1 << Int128(Self.width(bytes) * 8 - 1))...((1 << Int128(Self.width(bytes) * 8 - 1)) - 1)
    case .utf8: Int128(Int64.min)...Int128(Int64.max)
    case .float32, .float64, .medfloat16, .medfloat32, .hex: nil
    }
  }

  /// The finite reals that it can hold, to either side of zero; nil for formats that hold no reals.
  public var realLimit: Double? {
    switch self {
    case .float32: Double(Float.greatestFiniteMagnitude)
    case .float64: .greatestFiniteMagnitude
    case .medfloat16: MedicalFloat.short.limit
    case .medfloat32: MedicalFloat.long.limit
    case .utf8: 1e15
    case .unsigned, .signed, .hex: nil
    }
  }

  /// The width of an integer format in bytes, whatever was asked for.
  static func width(_ bytes: Int) -> Int { min(max(bytes, 1), 8) }
}

extension ValueFormat: CustomStringConvertible {
  public var description: String { Self.names.first { $0.format == self }?.name ?? "integer of another width" }
}
