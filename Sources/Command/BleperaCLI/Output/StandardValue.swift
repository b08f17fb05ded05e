import BleperaBluetooth

/// The meaning of values of standard characteristics: the formats of the GATT Specification Supplement, as a table.
enum StandardValue {
  /// An integer, little endian.
  struct Integer {
    let width: Int
    var isSigned = false

    func read(_ value: ArraySlice<UInt8>) -> Int? {
      guard value.count >= width else { return nil }
      let number: Int = LittleEndian.number(value.prefix(width))
      return isSigned && number >= 1 << (8 * width - 1) ? number - 1 << (8 * width) : number
    }
  }

  private enum Format {
    /// One number: `factor` times the integer, with that many decimals.
    case number(Integer, factor: Int = 1, decimals: Int = 0, unit: String)
    /// A name for each value of a byte.
    case names([String])
    case measurement(@Sendable ([UInt8]) -> String?)
  }

  private static let uint8 = Integer(width: 1)
  private static let uint16 = Integer(width: 2)
  private static let uint24 = Integer(width: 3)
  private static let uint32 = Integer(width: 4)
  private static let sint8 = Integer(width: 1, isSigned: true)
  private static let sint16 = Integer(width: 2, isSigned: true)
  private static let sint24 = Integer(width: 3, isSigned: true)

  private static let formats: [UInt16: Format] = [
    0x2A06: .names(["no alert", "mild alert", "high alert"]),
    0x2A07: .number(sint8, unit: "dBm"),
    0x2A19: .number(uint8, unit: "%"),
    0x2A1C: .measurement(temperature),
    0x2A1E: .measurement(temperature),
    0x2A2B: .measurement(time),
    0x2A35: .measurement(bloodPressure),
    0x2A37: .measurement(heartRate),
    0x2A38: .names(["other", "chest", "wrist", "finger", "hand", "ear lobe", "foot"]),
    0x2A5F: .measurement(oximeter),
    0x2A63: .measurement { value in sint16.read(value.dropFirst(2)).map { "\($0) W" } },
    0x2A6C: .number(sint24, decimals: 2, unit: "m"),
    0x2A6D: .number(uint32, decimals: 1, unit: "Pa"),
    0x2A6E: .number(sint16, decimals: 2, unit: "°C"),
    0x2A6F: .number(uint16, decimals: 2, unit: "%"),
    0x2A80: .number(uint8, unit: "years"),
    0x2A8E: .number(uint16, decimals: 2, unit: "m"),
    0x2A98: .number(uint16, factor: 5, decimals: 3, unit: "kg"),
    0x2A9D: .measurement(weight),
    0x2AFB: .number(uint24, decimals: 2, unit: "lx"),
  ]

  /// The text of a value; nil for a characteristic that is not in the table, and for a value that is too short.
  static func text(_ value: [UInt8], of characteristic: BluetoothUUID) -> String? {
    let short = characteristic.shortened
    guard short.width == .bits16, let format = formats[UInt16(truncatingIfNeeded: short.bits >> 96)] else { return nil }
    switch format {
    case .number(let integer, let factor, let decimals, let unit):
      guard value.count == integer.width, let number = integer.read(value[...]) else { return nil }
      return "\(decimal(number * factor, exponent: -decimals)) \(unit)"
    case .names(let names):
      guard value.count == 1, names.indices.contains(Int(value[0])) else { return nil }
      return names[Int(value[0])]
    case .measurement(let text): return value.isEmpty ? nil : text(value)
    }
  }

  /// `36.1` for 361 with the exponent -1.
  static func decimal(_ number: Int, exponent: Int) -> String {
    guard exponent < 0 else { return "\(number)" + String(repeating: "0", count: number == 0 ? 0 : exponent) }
    let digits = "\(number.magnitude)"
    let all = String(repeating: "0", count: max(0, 1 - exponent - digits.count)) + digits
    var rest = all.suffix(-exponent)
    while rest.last == "0" { rest = rest.dropLast() }
    return (number < 0 ? "-" : "") + all.dropLast(-exponent) + (rest.isEmpty ? "" : ".\(rest)")
  }

  /// Reads a base-ten float of IEEE 11073-20601 with two or four bytes; nil for special values such as NaN.
  private static func medicalFloat(_ value: ArraySlice<UInt8>, width: Int) -> String? {
    let bits = width == 2 ? 12 : 24
    guard let raw = Integer(width: width).read(value) else { return nil }
    var (mantissa, exponent) = (raw & (1 << bits - 1), raw >> bits)
    let half = 1 << (bits - 1)
    // The range has NaN, NRes, the infinities and the reserved value.
    guard !(half - 2...half + 2).contains(mantissa) else { return nil }
    if mantissa >= half { mantissa -= 1 << bits }
    let exponentHalf = 1 << (8 * width - bits - 1)
    if exponent >= exponentHalf { exponent -= 2 * exponentHalf }
    return decimal(mantissa, exponent: exponent)
  }

  /// Reads flags, then one byte, or two if bit 0 of the flags is set (3.113).
  @Sendable private static func heartRate(_ value: [UInt8]) -> String? {
    (value[0] & 1 == 1 ? uint16 : uint8).read(value.dropFirst()).map { "\($0) beats per minute" }
  }

  @Sendable private static func temperature(_ value: [UInt8]) -> String? {
    medicalFloat(value.dropFirst(), width: 4).map { "\($0) \(value[0] & 1 == 1 ? "°F" : "°C")" }
  }

  @Sendable private static func bloodPressure(_ value: [UInt8]) -> String? {
    guard let systolic = medicalFloat(value.dropFirst(), width: 2),
      let diastolic = medicalFloat(value.dropFirst(3), width: 2)
    else { return nil }
    return "\(systolic)/\(diastolic) \(value[0] & 1 == 1 ? "kPa" : "mmHg")"
  }

  @Sendable private static func oximeter(_ value: [UInt8]) -> String? {
    guard let saturation = medicalFloat(value.dropFirst(), width: 2),
      let rate = medicalFloat(value.dropFirst(3), width: 2)
    else { return nil }
    return "\(saturation) %, \(rate) beats per minute"
  }

  /// Reads a weight in steps of 5 g, or of 0.01 lb if bit 0 of the flags is set.
  @Sendable private static func weight(_ value: [UInt8]) -> String? {
    uint16.read(value.dropFirst()).map { number in
      value[0] & 1 == 1
        ? "\(decimal(number, exponent: -2)) lb" : "\(decimal(number * 5, exponent: -3)) kg"
    }
  }

  /// `2026-11-23 04:30:00`.
  @Sendable private static func time(_ value: [UInt8]) -> String? {
    guard value.count >= 7, let year = uint16.read(value[...]) else { return nil }
    func two(_ byte: UInt8) -> String { byte < 10 ? "0\(byte)" : "\(byte)" }
    return "\(year)-\(two(value[2]))-\(two(value[3])) \(two(value[4])):\(two(value[5])):\(two(value[6]))"
  }
}
