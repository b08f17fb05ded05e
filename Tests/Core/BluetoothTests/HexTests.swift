import BleperaBluetooth
import Testing

@Suite struct HexTests {
  @Test(
    "Pairs of digits are read, with white space between bytes",
    arguments: [
      ("", []), ("00", [0]), ("aBcD", [0xAB, 0xCD]), ("14 FF 4C 00", [0x14, 0xFF, 0x4C, 0x00]),
      (" \t01\r\n02\n", [1, 2]),
    ] as [(String, [UInt8])])
  func reads(_ text: String, bytes: [UInt8]) {
    #expect(Hex.bytes(text) == bytes)
  }

  @Test("Anything else is refused", arguments: ["0", "012", "0 1", "0x01", "zz", "01-02", "０１", "01 0", "\u{A0}01"])
  func refuses(_ text: String) {
    #expect(Hex.bytes(text) == nil)
  }

  @Test("Bytes are written in either case, with a separator between them")
  func writes() {
    let bytes: [UInt8] = [0x00, 0x0F, 0xA5, 0xFF]
    #expect(Hex.string(bytes) == "000FA5FF")
    #expect(Hex.string(bytes, uppercase: false) == "000fa5ff")
    #expect(Hex.string(bytes, separator: " ") == "00 0F A5 FF")
    #expect(Hex.string([], separator: " ").isEmpty)
  }

  @Test("Every byte is read as it was written")
  func roundTrip() {
    let bytes = Array(UInt8.min...UInt8.max)
    #expect(Hex.bytes(Hex.string(bytes)) == bytes)
    #expect(Hex.bytes(Hex.string(bytes, uppercase: false, separator: " ")) == bytes)
  }
}
