import BleperaBluetooth
import BleperaHCIProtocol

/// Reads the parameters of a command in order, the least significant octet of each first.
struct HCIFields {
  private var reader: PDUReader

  init(_ bytes: [UInt8]) { reader = PDUReader(bytes[...]) }

  mutating func bytes(_ count: Int) throws(HCIError) -> [UInt8] {
    let bytes = reader.bytes(count)
    guard !reader.isShort else { throw .invalidParameters }
    return bytes
  }

  private mutating func number<Integer: FixedWidthInteger>(_ octets: Int) throws(HCIError) -> Integer {
    LittleEndian.number(try bytes(octets))
  }

  mutating func uint8() throws(HCIError) -> UInt8 { try number(1) }
  mutating func uint16() throws(HCIError) -> UInt16 { try number(2) }
  mutating func uint24() throws(HCIError) -> Int { try number(3) }
  mutating func uint64() throws(HCIError) -> UInt64 { try number(8) }
  mutating func uint128() throws(HCIError) -> UInt128 { try number(16) }

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
  /// The type and the address.
  static func bytes(_ address: DeviceAddress) -> [UInt8] {
    [address.isRandom ? 1 : 0] + bytes(address.bits, count: 6)
  }
}
