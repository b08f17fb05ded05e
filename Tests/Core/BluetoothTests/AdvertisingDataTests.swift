import Testing

@testable import BleperaBluetooth

@Suite struct AdvertisingDataTests {
  private static let overflow = "14 FF 4C 00 01 00 04 01 00 00 00 20 00 00 00 01 00 00 00 00 08"

  /// Published by Crownstone (BROADCASTING_AS_BEACON.md), davidgyoung (ios-overflow-area), AOSP's car trust,
  /// reelyActive, uynguyen.github.io, pagepinner.com, herald-for-android, android-beacon-library and BleChat (the
  /// overflow area); where a source leaves its UUID or bitmap out, davidgyoung's UUID and BleChat's bitmap stand in.
  @Test(
    "Packets that iPhones were seen to send are read and written again exactly",
    arguments: [
      ("02 01 1A 03 03 07 C0 05 09 46 72 65 64", [0x01, 0x03, 0x09]),
      ("02 01 1A 11 07 A6 FF A9 1B 91 F4 F2 AD 0F 4A 6D CF 54 44 23 2F", [0x01, 0x07]),
      (
        "02 01 1A 11 07 FB 34 9B 5F 80 00 00 80 00 10 00 00 C5 3A 00 00 07 09 54 65 73 74 65 72",
        [0x01, 0x07, 0x09]
      ),
      ("02 01 1A 11 07 A6 FF A9 1B 91 F4 F2 AD 0F 4A 6D CF 54 44 23 2F 03 09 2D 2D", [0x01, 0x07, 0x09]),
      (
        "02 01 1A 11 06 A6 FF A9 1B 91 F4 F2 AD 0F 4A 6D CF 54 44 23 2F 09 09 75 79 6E 67 75 79 65 6E",
        [0x01, 0x06, 0x09]
      ),
      (
        "02 01 1A 11 06 A6 FF A9 1B 91 F4 F2 AD 0F 4A 6D CF 54 44 23 2F 09 08 4C 69 67 68 74 42 6C 75",
        [0x01, 0x06, 0x08]
      ),
      ("02 01 1A 02 0A 0C 11 07 A6 FF A9 1B 91 F4 F2 AD 0F 4A 6D CF 54 44 23 2F", [0x01, 0x0A, 0x07]),
      ("02 01 1A " + overflow, [0x01, 0xFF]),
      ("02 01 1A 02 0A 0C " + overflow, [0x01, 0x0A, 0xFF]),
      (overflow, [0xFF]),
      ("02 01 1A 02 0A 0C 0B FF 4C 00 10 06 07 1E A3 DD 89 E0", [0x01, 0x0A, 0xFF]),
      ("02 01 1A 02 0A 0C 0E FF 4C 00 0F 05 A0 33 6A A5 F1 10 02 5B 0C", [0x01, 0x0A, 0xFF]),
    ] as [(String, [UInt8])])
  func captures(_ hex: String, types: [UInt8]) throws {
    let bytes = try #require(Hex.bytes(hex))
    let packet = try AdvertisingData(decoding: bytes)
    #expect(packet.structures.map(\.type) == types)
    #expect(packet.bytes == bytes)
    #expect(packet.length == bytes.count)
    #expect(packet.length <= AdvertisingBudget.legacyMaximum)
    let isKnown = packet.structures.allSatisfy { if case .other = $0 { false } else { true } }
    #expect(isKnown)
  }

  private static let uuid16 = BluetoothUUID(0x180D as UInt16)
  private static let uuid32 = BluetoothUUID(0xDEAD_BEEF as UInt32)
  private static let uuid128 = BluetoothUUID(bits: 0x2F23_4454_CF6D_4A0F_ADF2_F491_1BA9_FFA6)
  private static let reversed = "A6 FF A9 1B 91 F4 F2 AD 0F 4A 6D CF 54 44 23 2F"

  private static func list(_ uuids: BluetoothUUID..., width: BluetoothUUID.Width) -> UUIDList {
    UUIDList(uuids, width: width) ?? UUIDList.lists(of: [])[0]
  }

  @Test(
    "A structure has the bytes of the specification",
    arguments: [
      (.flags([.generalDiscoverable, .brEdrNotSupported]), "02 01 06"),
      (.flags(.iPhone), "02 01 1A"),
      (.flags(.limitedDiscoverable), "02 01 01"),
      (.serviceUUIDs(list(uuid16, width: .bits16), complete: false), "03 02 0D 18"),
      (
        .serviceUUIDs(list(uuid16, BluetoothUUID(0xFD6F as UInt16), width: .bits16), complete: true),
        "05 03 0D 18 6F FD"
      ),
      (.serviceUUIDs(list(width: .bits16), complete: true), "01 03"),
      (.serviceUUIDs(list(uuid32, width: .bits32), complete: false), "05 04 EF BE AD DE"),
      (.serviceUUIDs(list(uuid16, width: .bits32), complete: true), "05 05 0D 18 00 00"),
      (.serviceUUIDs(list(uuid128, width: .bits128), complete: false), "11 06 " + reversed),
      (.serviceUUIDs(list(uuid128, width: .bits128), complete: true), "11 07 " + reversed),
      (.shortenedLocalName("Fre"), "04 08 46 72 65"),
      (.completeLocalName("Zoë"), "05 09 5A 6F C3 AB"),
      (.completeLocalName(""), "01 09"),
      (.txPowerLevel(12), "02 0A 0C"),
      (.txPowerLevel(-127), "02 0A 81"),
      (.serviceSolicitation(list(uuid16, width: .bits16)), "03 14 0D 18"),
      (.serviceSolicitation(list(uuid32, width: .bits32)), "05 1F EF BE AD DE"),
      (.serviceSolicitation(list(uuid128, width: .bits128)), "11 15 " + reversed),
      (.serviceData(uuid16, data: [0x55]), "04 16 0D 18 55"),
      (.serviceData(uuid16, data: []), "03 16 0D 18"),
      (.serviceData(uuid32, data: [0x55]), "06 20 EF BE AD DE 55"),
      (.serviceData(uuid128, data: [0x55]), "12 21 " + reversed + " 55"),
      (.appearance(0x0341), "03 19 41 03"),
      (.manufacturerData(companyIdentifier: 0x004C, data: [0x01, 0x02]), "05 FF 4C 00 01 02"),
      (.manufacturerData(companyIdentifier: 0x004C, data: []), "03 FF 4C 00"),
      (.other(type: 0x24, data: [0x17]), "02 24 17"),
      (.other(type: 0x00, data: []), "01 00"),
    ] as [(ADStructure, String)])
  func structures(_ structure: ADStructure, hex: String) throws {
    let bytes = try #require(Hex.bytes(hex))
    #expect(structure.bytes == bytes)
    #expect(structure.length == bytes.count)
    #expect(try AdvertisingData(decoding: bytes).structures == [structure])
  }

  @Test(
    "A payload that is not of its type's form is kept as it is",
    arguments: [
      "01 01", "03 01 06 00", "04 02 0D 18 0F", "02 03 0D", "04 05 EF BE AD",
      "10 07 FF A9 1B 91 F4 F2 AD 0F 4A 6D CF 54 44 23 2F",
      "03 09 C3 28", "02 08 80", "01 0A", "03 0A 0C 00", "04 14 0D 18 00", "03 1F 00 00", "05 15 00 00 00 00",
      "02 16 0D",
      "04 20 EF BE AD", "03 21 0D 18", "02 19 41", "04 19 41 03 00", "01 FF", "02 FF 4C",
    ])
  func odd(_ hex: String) throws {
    let bytes = try #require(Hex.bytes(hex))
    let packet = try AdvertisingData(decoding: bytes)
    #expect(packet.structures == [.other(type: bytes[1], data: Array(bytes[2...]))])
    #expect(packet.bytes == bytes)
  }

  @Test(
    "A length of zero ends the packet", arguments: ["", "00", "02 01 06 00", "02 01 06 00 00 00", "02 01 06 00 09 09"])
  func earlyTermination(_ hex: String) throws {
    let bytes = try #require(Hex.bytes(hex))
    let expected: [ADStructure] = bytes.count > 1 ? [.flags([.generalDiscoverable, .brEdrNotSupported])] : []
    #expect(try AdvertisingData(decoding: bytes).structures == expected)
    #expect(AdvertisingData(leniently: bytes).structures == expected)
  }

  @Test(
    "A last structure that is cut short is an error that says where, and receivers keep what precedes it",
    arguments: [
      ("02 01 06 09 09 46", AdvertisingDataError(offset: 3, needed: 9, available: 2)),
      ("02 01 06 05", AdvertisingDataError(offset: 3, needed: 5, available: 0)),
      ("02 01 06 01", AdvertisingDataError(offset: 3, needed: 1, available: 0)),
      ("02 01 06 FF FF 4C", AdvertisingDataError(offset: 3, needed: 255, available: 2)),
    ])
  func malformed(_ hex: String, error: AdvertisingDataError) throws {
    let bytes = try #require(Hex.bytes(hex))
    #expect(throws: error) { try AdvertisingData(decoding: bytes) }
    #expect(AdvertisingData(leniently: bytes).bytes == [0x02, 0x01, 0x06])
  }

  @Test("The error is a sentence")
  func errorText() {
    let error = AdvertisingDataError(offset: 3, needed: 9, available: 2)
    #expect(error.description == "The AD structure at byte 3 has a length of 9 bytes, but only 2 follow.")
  }

  @Test("Whatever bytes come, those of the structures before the fault are read and written again", arguments: 1...200)
  func anyBytes(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let count = Int.random(in: 0...64, using: &random)
    let bytes = (0..<count).map { _ in
      Bool.random(using: &random) ? UInt8.random(in: 0...9, using: &random) : .random(in: 0...255, using: &random)
    }
    let read = AdvertisingData(leniently: bytes)
    #expect(bytes.starts(with: read.bytes))
    #expect(AdvertisingData(leniently: read.bytes) == read)
    do throws(AdvertisingDataError) {
      #expect(try AdvertisingData(decoding: bytes) == read)
      #expect(read.length == bytes.count || bytes[read.length] == 0)
    } catch {
      #expect(error.offset == read.length)
      #expect(error.available < error.needed)
    }
  }

  @Test("Every type with every length of payload is read and written again")
  func everyType() throws {
    for type in UInt8.min...UInt8.max {
      for count in 0...40 {
        let bytes = [UInt8(count + 1), type] + (0..<count).map { UInt8(0x41 + $0) }
        let packet = try AdvertisingData(decoding: bytes)
        #expect(packet.structures.count == 1)
        #expect(packet.bytes == bytes)
      }
    }
  }

  @Test(
    "A payload is cut to what the length byte can say, at a whole UUID or character",
    arguments: [
      (.other(type: 0x24, data: [UInt8](repeating: 1, count: 254)), 256),
      (.other(type: 0x24, data: [UInt8](repeating: 1, count: 255)), 256),
      (.manufacturerData(companyIdentifier: 1, data: [UInt8](repeating: 1, count: 1000)), 256),
      (.serviceData(uuid128, data: [UInt8](repeating: 1, count: 1000)), 256),
      (.serviceUUIDs(UUIDList.lists(of: Array(repeating: uuid128, count: 20))[0], complete: true), 242),
      (.serviceSolicitation(UUIDList.lists(of: Array(repeating: uuid32, count: 99))[0]), 254),
      (.completeLocalName(String(repeating: "ë", count: 300)), 256),
      (.completeLocalName("a" + String(repeating: "ë", count: 300)), 255),
    ] as [(ADStructure, Int)])
  func tooLong(_ structure: ADStructure, length: Int) throws {
    #expect(structure.length == length)
    #expect(structure.bytes.count == length)
    #expect(try AdvertisingData(decoding: structure.bytes).structures.map(\.type) == [structure.type])
  }

  @Test("UUIDs are listed by width, each in its order, and only at a width that has room for them")
  func lists() {
    let other16 = BluetoothUUID(0x180F as UInt16)
    let lists = UUIDList.lists(of: [Self.uuid128, Self.uuid16, Self.uuid32, other16])
    #expect(lists.map(\.width) == [.bits16, .bits32, .bits128])
    #expect(lists.map(\.uuids) == [[Self.uuid16, other16], [Self.uuid32], [Self.uuid128]])
    #expect(UUIDList.lists(of: []).isEmpty)
    #expect(UUIDList([Self.uuid16, Self.uuid32], width: .bits16) == nil)
    #expect(UUIDList([Self.uuid16, Self.uuid32], width: .bits32)?.bytes == [0x0D, 0x18, 0, 0, 0xEF, 0xBE, 0xAD, 0xDE])
    #expect(UUIDList(littleEndian: [1, 2, 3], width: .bits16) == nil)
  }
}
