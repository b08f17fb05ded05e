import BleperaBluetooth
import Testing

@Suite struct ADStructureTextTests {
  private static let texts: [(String, String, String, String)] = [
    ("02 01 1A", "flags", "flags 1A: discoverable, dual mode", "02 01 1A"),
    ("02 01 06", "flags", "flags 06: discoverable, LE only", "02 01 06"),
    ("02 0A F4", "txPowerLevel", "TX power level: -12 dBm", "02 0A F4"),
    ("05 03 0D180918", "completeServiceUUIDs", "service UUIDs, complete: 180D, 1809", "05 03 0D180918"),
    ("03 02 0D18", "incompleteServiceUUIDs", "service UUIDs, incomplete: 180D", "03 02 0D18"),
    ("03 09 4142", "completeLocalName", "name, complete: \"AB\"", "03 09 4142"),
    ("03 08 1B0A", "shortenedLocalName", "name, shortened: \"\\u{1B}\\n\"", "03 08 1B0A"),
    (
      "14 FF 4C 00 01 02000000000000200000000000000000", "manufacturerData", "overflow area: bits 1, 61",
      "14 FF 4C00 01 02000000000000200000000000000000"
    ),
    (
      "14 FF 4C 00 01 02000000000000000000000000000000", "manufacturerData", "overflow area: bit 1",
      "14 FF 4C00 01 02000000000000000000000000000000"
    ),
    ("05 FF 4C 00 10 05", "manufacturerData", "manufacturer data: 1005", "05 FF 4C00 1005"),
    ("03 19 C103", "appearance", "appearance: 03C1", "03 19 C103"),
    ("04 16 0F18 64", "serviceData", "service data: 180F, 64", "04 16 0F1864"),
    ("02 77 01", "other", "other data: 01", "02 77 01"),
  ]

  @Test(arguments: texts)
  func `a structure is printed with its type and its bytes`(hex: String, type: String, text: String, bytes: String)
    throws
  {
    let data = try AdvertisingData(decoding: try #require(Hex.bytes(hex)))
    let structure = ADStructureText(structure: try #require(data.structures.first))
    #expect(structure.type == type)
    #expect(structure.text == text)
    #expect("\(structure.head) \(structure.body)" == bytes)
  }
}
