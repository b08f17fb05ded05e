import BleperaBluetooth
import Testing

@Suite struct BluetoothUUIDTests {
  @Test(
    "Text is read at its width and printed in upper case",
    arguments: [
      ("180D", BluetoothUUID.Width.bits16, "180D", "0000180d-0000-1000-8000-00805f9b34fb"),
      ("fd6f", .bits16, "FD6F", "0000fd6f-0000-1000-8000-00805f9b34fb"),
      ("0000180D", .bits32, "0000180D", "0000180d-0000-1000-8000-00805f9b34fb"),
      ("deadBEEF", .bits32, "DEADBEEF", "deadbeef-0000-1000-8000-00805f9b34fb"),
      (
        "0000180d-0000-1000-8000-00805f9b34fb", .bits128, "0000180D-0000-1000-8000-00805F9B34FB",
        "0000180d-0000-1000-8000-00805f9b34fb"
      ),
      (
        "2F234454-cf6d-4A0F-ADF2-F4911BA9FFA6", .bits128, "2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6",
        "2f234454-cf6d-4a0f-adf2-f4911ba9ffa6"
      ),
    ])
  func text(_ text: String, width: BluetoothUUID.Width, printed: String, long: String) throws {
    let uuid = try #require(BluetoothUUID(text))
    #expect(uuid.width == width)
    #expect(uuid.description == printed)
    #expect(uuid.longDescription == long)
  }

  @Test(
    "Text that is no UUID is refused",
    arguments: [
      "", "1", "180", "180DD", "180G", "0x180D", " 180D", "180D ", "+80D", "-180", "1８0D", "0000180", "0000180D0",
      "2F234454CF6D4A0FADF2F4911BA9FFA6", "2F234454-CF6D-4A0F-ADF2-F4911BA9FFA",
      "2F234454-CF6D-4A0F-ADF2-F4911BA9FFA60",
      "2F23445-4CF6D-4A0F-ADF2-F4911BA9FFA6", "2F234454_CF6D_4A0F_ADF2_F4911BA9FFA6",
      "2F234454-CF6D-4A0F-ADF2-F4911BA9FFAg", "{2F234454-CF6D-4A0F-ADF2-F4911BA9FF}",
      "------------------------------------",
    ])
  func malformed(_ text: String) {
    #expect(BluetoothUUID(text) == nil)
  }

  @Test("A part of a text is read as well as a whole one")
  func substring() {
    #expect(BluetoothUUID("uuid=180D;".dropFirst(5).prefix(4)) == BluetoothUUID(0x180D as UInt16))
  }

  @Test(
    "The bytes of a PDU are the least significant first",
    arguments: [
      ("180D", "0D 18"),
      ("DEADBEEF", "EF BE AD DE"),
      ("2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6", "A6 FF A9 1B 91 F4 F2 AD 0F 4A 6D CF 54 44 23 2F"),
      ("00003AC5-0000-1000-8000-00805F9B34FB", "FB 34 9B 5F 80 00 00 80 00 10 00 00 C5 3A 00 00"),
    ])
  func littleEndian(_ text: String, hex: String) throws {
    let uuid = try #require(BluetoothUUID(text))
    let bytes = try #require(Hex.bytes(hex))
    #expect(uuid.littleEndianBytes == bytes)
    let read = try #require(BluetoothUUID(littleEndian: bytes))
    #expect(read == uuid)
    #expect(read.width == uuid.width)
  }

  @Test("Only 2, 4 and 16 bytes are a UUID", arguments: 0...40)
  func byteCounts(_ count: Int) {
    let uuid = BluetoothUUID(littleEndian: [UInt8](repeating: 0xFF, count: count))
    #expect((uuid != nil) == [2, 4, 16].contains(count))
  }

  @Test("The 16 bytes stand in printed order")
  func printedOrder() {
    #expect(Hex.string(BluetoothUUID(0x180D as UInt16).bytes) == "0000180D00001000800000805F9B34FB")
  }

  @Test(
    "UUIDs are equal when their 128-bit forms are",
    arguments: [
      ("180D", "0000180D", true),
      ("180D", "0000180D-0000-1000-8000-00805F9B34FB", true),
      ("DEADBEEF", "deadbeef-0000-1000-8000-00805f9b34fb", true),
      ("180D", "180A", false),
      ("180D", "180D0000", false),
      ("180D", "0000180D-0000-1000-8000-00805F9B34FC", false),
    ])
  func equality(_ left: String, _ right: String, equal: Bool) throws {
    let left = try #require(BluetoothUUID(left))
    let right = try #require(BluetoothUUID(right))
    #expect((left == right) == equal)
    #expect(Set([left, right]).count == (equal ? 1 : 2))
  }

  @Test(
    "The shortest form means the same UUID",
    arguments: [
      ("180D", "180D"),
      ("0000180D", "180D"),
      ("0001180D", "0001180D"),
      ("0000180D-0000-1000-8000-00805F9B34FB", "180D"),
      ("DEADBEEF-0000-1000-8000-00805F9B34FB", "DEADBEEF"),
      ("0000180D-0000-1000-8000-00805F9B34FA", "0000180D-0000-1000-8000-00805F9B34FA"),
      ("0000180D-0000-1001-8000-00805F9B34FB", "0000180D-0000-1001-8000-00805F9B34FB"),
    ])
  func shortened(_ text: String, short: String) throws {
    let uuid = try #require(BluetoothUUID(text))
    #expect(uuid.shortened.description == short)
    #expect(uuid.shortened == uuid)
  }

  @Test(
    "A UUID is written at a width that has room for it, and at no shorter one",
    arguments: [
      ("180D", BluetoothUUID.Width.bits16, "180D"),
      ("180D", .bits32, "0000180D"),
      ("180D", .bits128, "0000180D-0000-1000-8000-00805F9B34FB"),
      ("DEADBEEF", .bits16, nil),
      ("DEADBEEF", .bits32, "DEADBEEF"),
      ("0000180D-0000-1000-8000-00805F9B34FB", .bits16, "180D"),
      ("0000180D-0000-1000-8000-00805F9B34FB", .bits32, "0000180D"),
      ("2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6", .bits32, nil),
      ("2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6", .bits128, "2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6"),
    ] as [(String, BluetoothUUID.Width, String?)])
  func writtenAtWidth(_ text: String, width: BluetoothUUID.Width, expected: String?) throws {
    let uuid = try #require(BluetoothUUID(text))
    #expect(uuid.written(at: width)?.description == expected)
  }
}
