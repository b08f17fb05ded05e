import BleperaBluetooth
import Testing

@Suite("The CRC of the link layer")
struct LinkLayerCRCTests {
  @Test("A packet of a real phone, in a published log")
  func samples() throws {
    // An ADV_IND of an iPhone 6 (davidgyoung/ios-overflow-area, Ubertooth log), as on the air.
    let pdu = try #require(
      Hex.bytes("401E6F841FA80D4A02011A14FF4C000100000000000000000000080000000000"))
    #expect(LinkLayerCRC.bytes(of: pdu, initial: LinkLayerCRC.advertising) == [0x19, 0xB9, 0x9B])
  }

  @Test("Bit by bit, as the specification has it")
  func bits() {
    var random = SplitMix64(seed: 1)
    for length in 0..<64 {
      let pdu = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
      let initial = UInt32.random(in: 0...0xFF_FFFF, using: &random)
      var register = initial
      for byte in pdu {
        for bit in 0..<8 {
          let feedback = register >> 23 ^ UInt32(byte >> bit & 1)
          register = register << 1 & 0xFF_FFFF
          if feedback == 1 { register ^= 0x65B }
        }
      }
      let sent = [16, 8, 0].map { shift in
        (0..<8).reduce(UInt8(0)) { $0 << 1 | UInt8(truncatingIfNeeded: register >> (shift + $1) & 1) }
      }
      #expect(LinkLayerCRC.bytes(of: pdu, initial: initial) == sent)
    }
  }
}
