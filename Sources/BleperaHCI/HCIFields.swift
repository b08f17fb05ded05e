import BleperaAir
import BleperaBluetooth

/// Reads the parameters of a command in order, the least significant octet of each first.
struct HCIFields {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  mutating func bytes(_ count: Int) throws(HCIError) -> [UInt8] {
    guard rest.count >= count else { throw .invalidParameters }
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  /// An integer of that many octets.
  private mutating func number(_ octets: Int) throws(HCIError) -> UInt64 {
    try bytes(octets).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  mutating func uint8() throws(HCIError) -> UInt8 { UInt8(truncatingIfNeeded: try number(1)) }
  mutating func uint16() throws(HCIError) -> UInt16 { UInt16(truncatingIfNeeded: try number(2)) }
  mutating func uint24() throws(HCIError) -> Int { Int(try number(3)) }
  mutating func uint64() throws(HCIError) -> UInt64 { try number(8) }
  mutating func uint128() throws(HCIError) -> UInt128 {
    let low = try number(8)
    return UInt128(try number(8)) << 64 | UInt128(low)
  }

  /// An octet within a range.
  mutating func uint8(in range: ClosedRange<UInt8>) throws(HCIError) -> UInt8 {
    let value = try uint8()
    guard range.contains(value) else { throw .invalidParameters }
    return value
  }

  mutating func flag() throws(HCIError) -> Bool { try uint8(in: 0...1) == 1 }

  mutating func address(isRandom: Bool) throws(HCIError) -> DeviceAddress {
    DeviceAddress(bits: try number(6), isRandom: isRandom)
  }

  /// The octet of a type and the address: 0 public, 1 random.
  mutating func typedAddress() throws(HCIError) -> DeviceAddress {
    let isRandom = try flag()
    return try address(isRandom: isRandom)
  }

  /// Data that is preceded by its length.
  mutating func data() throws(HCIError) -> [UInt8] {
    let length = try uint8()
    return try bytes(Int(length))
  }
}

extension LittleEndian {
  /// The first octets.
  static func bytes<Integer: FixedWidthInteger>(_ value: Integer, count: Int) -> [UInt8] {
    Array(bytes(value).prefix(count))
  }

  /// The type and the address.
  static func bytes(_ address: DeviceAddress) -> [UInt8] {
    [address.isRandom ? 1 : 0] + bytes(address.bits, count: 6)
  }
}
