import Testing

@testable import BleperaBluetooth

@Suite struct OverflowAreaDecodingTests {
  private static let mask = "02 00 00 00 00 00 00 20 00 00 00 00 00 00 00 00"
  private static let blank = "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"

  private static let received: [String] = [
    mask,
    "01 \(mask)",
    "4C 00 01 \(mask)",
    "14 FF 4C 00 01 \(mask)",
    "02 01 1A 14 FF 4C 00 01 \(mask)",
    "02 01 1A 02 0A 0C 14 FF 4C 00 01 \(mask)",
    "14 FF 4C 00 01 \(mask) 02 01 1A",
    "14 FF 4C 00 01 \(mask) 00 00 00 00",
    // Advertisement and scan response, one behind the other.
    "02 01 1A 02 0A 0C 0B FF 4C 00 10 06 07 1E A3 DD 89 E0 14 FF 4C 00 01 \(mask)",
    "02 01 1A 02 0A 0C 0E FF 4C 00 0F 05 A0 33 6A A5 F1 10 02 5B 0C 14 FF 4C 00 01 \(mask)",
    // The same, joined by Android.
    "4C 00 10 06 07 1E A3 DD 89 E0 01 \(mask)",
    "10 06 07 1E A3 DD 89 E0 01 \(mask)",
    "0F 05 A0 33 6A A5 F1 10 02 5B 0C 01 \(mask)",
    "01 \(mask) 10 06 07 1E A3 DD 89 E0",
    "1C FF 4C 00 10 06 07 1E A3 DD 89 E0 01 \(mask)",
    "1C FF 4C 00 01 \(mask) 10 06 07 1E A3 DD 89 E0",
    "25 FF 4C 00 01 02\(blank.dropFirst(2)) 01 00 00 00 00 00 00 00 20 00 00 00 00 00 00 00 00",
    // Another company's data before it, and an area in two structures.
    "17 FF 06 00 01 09 20 22 \(blank) 14 FF 4C 00 01 \(mask)",
    "14 FF 4C 00 01 02\(blank.dropFirst(2)) 14 FF 4C 00 01 00 00 00 00 00 00 00 20 00 00 00 00 00 00 00 00",
  ]

  @Test("A mask is read in whatever a scanner gives", arguments: received)
  func forms(_ hex: String) throws {
    let bytes = try #require(Hex.bytes(hex))
    #expect(try OverflowArea(decoding: bytes).bits == [1, 61])
  }

  @Test("A captured mask of five UUIDs has its five bits (BleChat)")
  func captured() throws {
    let bytes = try #require(Hex.bytes("14 FF 4C 00 01 00 04 01 00 00 00 20 00 00 00 01 00 00 00 00 08"))
    #expect(try OverflowArea(decoding: bytes).bits == [10, 16, 53, 80, 123])
  }

  @Test(
    "Sixteen bytes are always a mask",
    arguments: [blank, mask, "4C 00 01\(blank.dropFirst(8))", "01\(blank.dropFirst(2))"])
  func masks(_ hex: String) throws {
    let bytes = try #require(Hex.bytes(hex))
    #expect(try OverflowArea(decoding: bytes).bytes == bytes)
  }

  @Test("Any mask is read as it was written", arguments: 1...100)
  func roundTrip(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let area = OverflowArea(mask: .random(in: 0...UInt128.max, using: &random))
    let others: [ADStructure] = [
      .flags(.iPhone), .txPowerLevel(12), .manufacturerData(companyIdentifier: 0x0006, data: [0x01, 0x09]),
      .completeLocalName("Fred"),
    ]
    #expect(try OverflowArea(decoding: area.bytes) == area)
    #expect(try OverflowArea(decoding: [1] + area.bytes) == area)
    #expect(try OverflowArea(decoding: [0x4C, 0x00, 1] + area.bytes) == area)
    #expect(OverflowArea(area.structure) == area)
    for place in 0...others.count {
      let packet = AdvertisingData(others[..<place] + [area.structure] + others[place...])
      #expect(try OverflowArea(decoding: packet.bytes) == area)
    }
    #expect(area.bits.reduce(into: 0 as UInt128) { $0 |= 1 << UInt128($1) } == area.mask)
  }

  @Test(
    "A structure that is no overflow area holds none",
    arguments: [
      .flags(.iPhone),
      .manufacturerData(companyIdentifier: 0x0006, data: [0x01] + [UInt8](repeating: 0, count: 16)),
      .manufacturerData(companyIdentifier: 0x004C, data: []),
      .manufacturerData(companyIdentifier: 0x004C, data: [0x01]),
      .manufacturerData(companyIdentifier: 0x004C, data: [0x10]),
      .manufacturerData(companyIdentifier: 0x004C, data: [0x10, 0x00]),
      .manufacturerData(companyIdentifier: 0x004C, data: [0x01] + [UInt8](repeating: 0, count: 15)),
      .manufacturerData(companyIdentifier: 0x004C, data: [0x01] + [UInt8](repeating: 0, count: 17)),
      .manufacturerData(companyIdentifier: 0x004C, data: [0x02, 0x15, 0x01] + [UInt8](repeating: 0, count: 20)),
      .manufacturerData(companyIdentifier: 0x004C, data: [0x10, 0x20, 0x01] + [UInt8](repeating: 0, count: 16)),
      .other(type: 0xFF, data: [0x4C]),
    ] as [ADStructure])
  func otherStructures(_ structure: ADStructure) {
    #expect(OverflowArea(structure) == nil)
  }

  private static let lengths = """
    expected 16 of a mask, 17 or 19 of manufacturer data (01 or 4C 00 01, and the mask), or an advertisement with the \
    21 of 14 FF 4C 00 01 and the mask.
    """
  private static let item = "expected FF with 4C 00 01 and a mask of 16 bytes."

  private static let refusals: [(String, String)] = [
    ("", "Found 0 bytes; \(lengths)"),
    ("02", "Found 1 byte; \(lengths)"),
    ("00 00 \(blank)", "Found 18 bytes; \(lengths)"),
    ("02 \(mask)", "Found 17 bytes that begin with 02; expected 01 and a mask of 16 bytes."),
    ("00 4C 01 \(mask)", "Found 19 bytes that begin with 00 4C 01; expected 4C 00 01 and a mask of 16 bytes."),
    ("4C 00 10 \(mask)", "Found the AD structure FF (4C 00 10, 19 bytes); \(item)"),
    ("4C 00 01 \(mask) 00", "Found the AD structure FF (4C 00 01, 20 bytes); \(item)"),
    ("4C 00", "Found the AD structure FF (4C 00, 2 bytes); \(item)"),
    (
      "14 FF 4C 00 01 \(mask.dropLast(3))",
      "Found an AD structure at byte 0 with only 19 of 20 bytes; expected a whole advertisement."
    ),
    (
      "02 01 1A 14 FF 4C 00 01 \(mask.dropLast(6))",
      "Found an AD structure at byte 3 with only 18 of 20 bytes; expected a whole advertisement."
    ),
    (
      "02 01 1A 11 07 A6 FF A9 1B 91 F4 F2 AD 0F 4A 6D CF 54 44 23 2F",
      "Found the AD structures 01 and 07; \(item)"
    ),
    (
      "02 01 1A 02 0A 0C 0E FF 4C 00 0F 05 A0 33 6A A5 F1 10 02 5B 0C",
      "Found the AD structures 01, 0A and FF (4C 00 0F, 13 bytes); \(item)"
    ),
    ("17 FF 06 00 01 09 20 22 \(blank)", "Found the AD structure FF (06 00 01, 22 bytes); \(item)"),
    ("00 00 00 00 \(blank)", "Found no AD structure; \(item)"),
  ]

  @Test("What is none is refused with what was found and what was expected", arguments: refusals)
  func refused(_ hex: String, message: String) throws {
    let bytes = try #require(Hex.bytes(hex))
    let error = #expect(throws: OverflowAreaError.self) { try OverflowArea(decoding: bytes) }
    #expect(error?.description == message)
  }

  @Test("The error says which kind of input it was")
  func kinds() throws {
    #expect(throws: OverflowAreaError(.length(3))) { try OverflowArea(decoding: [1, 2, 3]) }
    let seventeen = [UInt8](repeating: 2, count: 17)
    #expect(throws: OverflowAreaError(.beginning(seventeen, expected: [1]))) { try OverflowArea(decoding: seventeen) }
    #expect(throws: OverflowAreaError(.absent([]))) { try OverflowArea(decoding: [UInt8](repeating: 0, count: 31)) }
    let cut = AdvertisingDataError(offset: 0, needed: 20, available: 19)
    #expect(throws: OverflowAreaError(.cutShort(cut))) {
      try OverflowArea(decoding: [0x14, 0xFF] + [UInt8](repeating: 0, count: 18))
    }
  }

  @Test("Whatever bytes come, there is an area or an error", arguments: 1...200)
  func anyBytes(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let beginnings: [[UInt8]] = [[], [0x01], [0x4C, 0x00], [0x14, 0xFF, 0x4C, 0x00, 0x01]]
    let count = Int.random(in: 0...64, using: &random)
    let rest = (0..<count).map { _ in UInt8.random(in: 0...40, using: &random) }
    let bytes = (beginnings.randomElement(using: &random) ?? []) + rest
    do throws(OverflowAreaError) {
      let area = try OverflowArea(decoding: bytes)
      #expect(try OverflowArea(decoding: area.structure.bytes) == area)
    } catch {
      #expect(error.description.hasPrefix("Found ") && error.description.hasSuffix("."))
    }
  }
}
