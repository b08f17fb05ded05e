import BleperaBluetooth
import Testing

@Suite struct OverflowAreaTests {
  @Test("There is a published vector for every bit")
  func vectors() {
    #expect(OverflowVector.all.map(\.bit) == Array(0...127))
  }

  @Test("The bit of a UUID is the one that iPhones set for it, in the byte and at the place of the air")
  func published() {
    for vector in OverflowVector.all {
      let bit = OverflowArea.bit(of: vector.uuid)
      #expect(bit == vector.bit, "\(vector.uuid)")
      #expect(bit ^ 7 == vector.mostSignificantFirst, "\(vector.uuid)")
      var expected = [UInt8](repeating: 0, count: 16)
      expected[vector.byte] = vector.mask
      #expect(OverflowArea([vector.uuid]).bytes == expected, "\(vector.uuid)")
      #expect(OverflowArea.uuid(forBit: vector.bit)?.bits == vector.uuid.bits)
    }
  }

  @Test(
    "Single observations agree with it, from iOS 7 to 27",
    arguments: [
      ("C007", 4, 0x10, "crownstone, BROADCASTING_AS_BEACON.md"),
      ("C008", 7, 0x08, "crownstone, BROADCASTING_AS_BEACON.md"),
      ("1001", 7, 0x02, "crownstone, BROADCASTING_AS_BEACON.md"),
      ("3333", 7, 0x02, "crownstone, BROADCASTING_AS_BEACON.md"),
      ("2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6", 10, 0x08, "davidgyoung/ios-overflow-area, iPhone 6, iOS 11"),
      ("B82AB3FC-1595-4F6A-80F0-FE094CC218F9", 0, 0x01, "covidsafescan, advertisement registry"),
      ("17E033D3-490E-4BC9-9FE8-2F567643F4D3", 2, 0x80, "covidsafescan, advertisement registry"),
      ("5403C8A7-5C96-47E9-9AB8-59E373D875A7", 3, 0x10, "mKeRix/room-assistant, bluetooth-low-energy.service.spec.ts"),
      ("C1F5983C-FA94-4AC8-8E2E-BB86D6DE9B21", 9, 0x40, "ukhsa-collaboration/COVID-19-app-Android-BETA, 10 and 39"),
      ("7A1C0020-5353-4243-8E2B-9F3D5A6C7E10", 3, 0x80, "icesgg/smartscreen, PROXIMITY.md"),
      ("7A1C0010-5353-4243-8E2B-9F3D5A6C7E10", 10, 0x20, "icesgg/smartscreen, PROXIMITY.md"),
    ] as [(String, Int, UInt8, String)])
  func observed(_ text: String, byte: Int, mask: UInt8, source: String) throws {
    let uuid = try #require(BluetoothUUID(text))
    var expected = [UInt8](repeating: 0, count: 16)
    expected[byte] = mask
    #expect(OverflowArea([uuid]).bytes == expected, "\(source)")
  }

  @Test(
    "A UUID has one bit, whatever the width it is written with",
    arguments: [
      ("180A", 1), ("180D", 61), ("180F", 115), ("1000", 94), ("FD6F", 89), ("FFFF", 53), ("CAFE", 35), ("0000", 58),
      ("002C", 0), ("0081", 127),
    ])
  func widths(_ text: String, bit: Int) throws {
    let uuid = try #require(BluetoothUUID(text))
    for width in BluetoothUUID.Width.allCases {
      let written = try #require(uuid.written(at: width))
      #expect(written.width == width)
      #expect(OverflowArea.bit(of: written) == bit)
    }
  }

  @Test(
    "The bit is the remainder of the 128-bit form as a polynomial, a 32-bit UUID's too",
    arguments: [
      ("00000000-0000-0000-0000-000000000000", 0), ("00000000-0000-0000-0000-000000000001", 9),
      ("00000000-0000-0000-0000-000000000002", 18), ("00000000-0000-0000-0000-000000000080", 36),
      ("00000000-0000-0000-0000-000000000039", 120), ("DEADBEEF", 2), ("DEADBEEF-0000-1000-8000-00805F9B34FB", 2),
      ("FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF", 6), ("80000000-0000-0000-0000-000000000000", 5),
    ])
  func remainder(_ text: String, bit: Int) throws {
    #expect(OverflowArea.bit(of: try #require(BluetoothUUID(text))) == bit)
  }

  @Test("The bit of two UUIDs' difference is the difference of their bits", arguments: 1...100)
  func linearity(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let left = UInt128.random(in: 0...UInt128.max, using: &random)
    let right = UInt128.random(in: 0...UInt128.max, using: &random)
    let bits = [left, right, left ^ right].map { OverflowArea.bit(of: BluetoothUUID(bits: $0)) }
    #expect(bits[0] ^ bits[1] == bits[2])
    #expect(bits.allSatisfy { OverflowArea.allBits.contains($0) })
  }

  @Test("Every bit stands for as many UUIDs as any other")
  func evenness() {
    var counts = [Int](repeating: 0, count: 128)
    for short in UInt16.min...UInt16.max { counts[OverflowArea.bit(of: BluetoothUUID(short))] += 1 }
    #expect(counts == [Int](repeating: 512, count: 128))
  }

  @Test("For every bit there is a least UUID of 128 and of 16 bits", arguments: OverflowArea.allBits)
  func found(_ bit: Int) throws {
    let uuid = try #require(OverflowArea.uuid(forBit: bit))
    #expect(uuid.width == .bits128)
    #expect(uuid.bits < 128)
    #expect(OverflowArea.bit(of: uuid) == bit)
    let short = try #require(OverflowArea.shortUUID(forBit: bit))
    #expect(short.width == .bits16)
    #expect(OverflowArea.bit(of: short) == bit)
    let lesser = 0..<UInt16(truncatingIfNeeded: short.bits >> 96)
    #expect(lesser.allSatisfy { OverflowArea.bit(of: BluetoothUUID($0)) != bit })
  }

  @Test("A bit that there is not stands for nothing", arguments: [-1, 128, .min, .max])
  func outside(_ bit: Int) {
    #expect(OverflowArea.uuid(forBit: bit) == nil)
    #expect(OverflowArea.shortUUID(forBit: bit) == nil)
    #expect(!OverflowArea(mask: .max).contains(bit: bit))
  }

  @Test("Bit 0 is the least significant of the first byte, bit 127 the most significant of the last")
  func edges() throws {
    let first = try #require(OverflowArea.uuid(forBit: 0))
    let last = try #require(OverflowArea.uuid(forBit: 127))
    var area = OverflowArea([first])
    #expect(area.mask == 1)
    #expect(area.bytes == [1] + [UInt8](repeating: 0, count: 15))
    #expect(area.contains(first) && !area.contains(last))
    area.insert(last)
    #expect(area.bits == [0, 127])
    #expect(area.bytes == [1] + [UInt8](repeating: 0, count: 14) + [0x80])
    #expect(area.contains(first) && area.contains(last))
    #expect(OverflowArea(mask: .max).bits == Array(0...127))
    #expect(OverflowArea().isEmpty && OverflowArea().bits.isEmpty)
    #expect(!area.isEmpty)
  }

  @Test("The AD structure has 21 bytes")
  func structure() {
    let area = OverflowArea([BluetoothUUID(0x180A as UInt16), BluetoothUUID(0x180D as UInt16)])
    #expect(area.structure.length == OverflowArea.length)
    #expect(
      Hex.string(area.structure.bytes, separator: " ")
        == "14 FF 4C 00 01 02 00 00 00 00 00 00 20 00 00 00 00 00 00 00 00")
  }

  @Test("Apps that share the radio share the bits, and a UUID that was set already changes nothing")
  func union() {
    let uuids = OverflowVector.all.map(\.uuid)
    let left = OverflowArea(uuids[..<50])
    var area = OverflowArea(uuids[40...])
    #expect(left.bits == Array(0..<50))
    #expect(left.union(area) == OverflowArea(mask: .max))
    area.formUnion(left)
    #expect(area == OverflowArea(mask: .max))
    area.insert(uuids[7])
    #expect(area == OverflowArea(mask: .max))
    #expect(left.union(OverflowArea()) == left)
  }

  @Test(
    "Different UUIDs with one bit collide, in the order in which they come",
    arguments: [
      ([], []),
      (["180D", "180A"], []),
      (["1001", "3333"], [["1001", "3333"]]),
      (["3333", "180D", "1001"], [["3333", "1001"]]),
      (["180D", "0000180D", "0000180D-0000-1000-8000-00805F9B34FB"], []),
      (["1001", "3333", "00003333", "0091"], [["1001", "3333", "0091"]]),
      (["180D", "1001", "00A3", "3333"], [["180D", "00A3"], ["1001", "3333"]]),
    ] as [([String], [[String]])])
  func collisions(_ texts: [String], expected: [[String]]) {
    let groups = OverflowArea.collisions(among: texts.compactMap { BluetoothUUID($0) })
    #expect(groups.map { $0.map(\.description) } == expected)
  }
}
