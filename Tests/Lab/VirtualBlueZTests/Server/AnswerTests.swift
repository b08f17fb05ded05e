import BleperaAir
import BleperaBluetooth
import BleperaDBus
import BleperaVirtualBlueZ
import Testing

@Suite("What bluetoothd makes of an application's answer")
struct AnswerTests {
  static let table: [(String, String, Bool, Int, UInt8)] = [
    ("org.bluez.Error.Failed", "0x81", true, 66, 0x81), ("org.bluez.Error.Failed", "131", true, 66, 0x83),
    ("org.bluez.Error.Failed", "0x7f", true, 66, 0x0E), ("org.bluez.Error.Failed", "0xa0", true, 66, 0x0E),
    ("org.bluez.Error.Failed", "0200", true, 66, 0x80), ("org.bluez.Error.Failed", "no", true, 66, 0x80),
    ("org.bluez.Error.Failed", "", true, 66, 0x80), ("org.bluez.Error.NotSupported", "", true, 66, 0x06),
    ("org.bluez.Error.NotAuthorized", "", true, 66, 0x08), ("org.bluez.Error.InvalidValueLength", "", false, 66, 0x0D),
    ("org.bluez.Error.InvalidOffset", "", true, 66, 0x07), ("org.bluez.Error.InProgress", "", true, 66, 0xFE),
    ("org.bluez.Error.NotPermitted", "", true, 66, 0x02), ("org.bluez.Error.NotPermitted", "", false, 66, 0x03),
    ("org.bluez.Error.ImproperlyConfigured", "", false, 75, 0x0E),
    ("org.bluez.Error.ImproperlyConfigured", "", false, 76, 0xFD), ("org.example.Other", "0x81", true, 82, 0x0E),
  ]

  @Test("An error's name and message give the code on the air", arguments: table)
  func answer(name: String, message: String, isRead: Bool, minor: Int, code: UInt8) throws {
    let reply = DBusErrorReply(name: try #require(ErrorName(name)), message: message)
    #expect(ATTError(answer: reply, isRead: isRead, DaemonBehavior(minor: minor)).rawValue == code)
  }

  static let filters: [(String, DBusValue, Bool)] = [
    ("UUIDs", .strings(["180d"]), true), ("UUIDs", .strings(["nonsense"]), false), ("UUIDs", .byte(1), false),
    ("RSSI", .int16(-70), true), ("RSSI", .int16(-128), false), ("Pathloss", .uint16(137), true),
    ("Pathloss", .uint16(138), false), ("Transport", .string("le"), true), ("Transport", .string("air"), false),
    ("DuplicateData", .boolean(true), true), ("Discoverable", .boolean(true), true),
    ("Pattern", .string("00:AA"), true), ("What", .byte(0), false),
  ]

  @Test("A discovery filter takes what bluetoothd takes", arguments: filters)
  func filter(name: String, value: DBusValue, isTaken: Bool) {
    #expect((DiscoveryFilter(properties: .properties([(name, value)])) != nil) == isTaken)
  }
}
