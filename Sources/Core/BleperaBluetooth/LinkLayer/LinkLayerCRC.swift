/// The access addresses of packets of the link layer (Core Specification, Vol 6, Part B, 2.1.2).
package enum AccessAddress {
  /// The access address of all advertising packets.
  package static let advertising: UInt32 = 0x8E89_BED6
}

/// The CRC of packets of the link layer (Core Specification, Vol 6, Part B, 3.1.1).
package enum LinkLayerCRC {
  /// The initial value in all packets of advertising.
  package static let advertising: UInt32 = 0x55_5555

  /// Three bytes as they are sent, the bit that is sent first being the least significant one of the first byte.
  package static func bytes(of pdu: [UInt8], initial: UInt32) -> [UInt8] {
    LittleEndian.bytes(value(of: pdu, initial: initial), count: 3)
  }

  /// The three bytes as a number, the first one least significant.
  package static func value(of pdu: [UInt8], initial: UInt32) -> UInt32 {
    var register = reversed(initial)
    for byte in pdu { register = register >> 8 ^ table[Int(UInt8(truncatingIfNeeded: register) ^ byte)] }
    return register
  }

  /// The polynomial x^24 + x^10 + x^9 + x^6 + x^4 + x^3 + x + 1, with the bits in the order in which they are sent.
  private static let polynomial = reversed(0x65B)

  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 0 ? value >> 1 : value >> 1 ^ polynomial }
  }

  private static func reversed(_ value: UInt32) -> UInt32 {
    (0..<24).reduce(0) { $0 << 1 | value >> $1 & 1 }
  }
}
