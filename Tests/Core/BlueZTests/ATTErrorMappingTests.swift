import BleperaBlueZ
import BleperaBlueZProtocol
import BleperaBluetooth
import BleperaDBus
import Testing

/// `dbus_error_to_att_ecode` of BlueZ's src/gatt-database.c, in an old and a new release.
@Suite("Answers that make bluetoothd send an ATT error")
struct ATTErrorMappingTests {
  private static let old = DaemonVersion(5, 66)
  private static let new = DaemonVersion(5, 76)
  private static let unlikely = "org.blepera.Error.Unlikely"

  private static let rows: [(ATTErrorMapping.Operation, ATTError, DaemonVersion?, String, ATTError)] = [
    (.read, .readNotPermitted, old, "NotPermitted", .readNotPermitted),
    (.write, .readNotPermitted, old, unlikely, .unlikelyError),
    (.write, .writeNotPermitted, old, "NotPermitted", .writeNotPermitted),
    (.read, .writeNotPermitted, old, unlikely, .unlikelyError),
    (.read, .requestNotSupported, old, "NotSupported", .requestNotSupported),
    (.write, .requestNotSupported, nil, "NotSupported", .requestNotSupported),
    (.read, .invalidOffset, old, "InvalidOffset", .invalidOffset),
    (.write, .invalidOffset, old, "InvalidOffset", .invalidOffset),
    (.read, .insufficientAuthorization, old, "NotAuthorized", .insufficientAuthorization),
    (.write, .insufficientAuthorization, old, "NotAuthorized", .insufficientAuthorization),
    (.write, .invalidAttributeValueLength, old, "InvalidValueLength", .invalidAttributeValueLength),
    (.read, .procedureAlreadyInProgress, old, "InProgress", .procedureAlreadyInProgress),
    (.write, .cccdImproperlyConfigured, DaemonVersion(5, 75), unlikely, .unlikelyError),
    (.write, .cccdImproperlyConfigured, new, "ImproperlyConfigured", .cccdImproperlyConfigured),
    (.read, .cccdImproperlyConfigured, DaemonVersion(6, 0), "ImproperlyConfigured", .cccdImproperlyConfigured),
    (.write, .cccdImproperlyConfigured, nil, unlikely, .unlikelyError),
  ]

  @Test("An error that bluetoothd has a name for is sent by name, since the release that knows it", arguments: rows)
  func names(
    operation: ATTErrorMapping.Operation, error: ATTError, daemon: DaemonVersion?, name: String, sent: ATTError
  ) {
    let (reply, found) = ATTErrorMapping.reply(to: operation, error: error, daemon: daemon)
    #expect(reply.name.rawValue == (name == Self.unlikely ? name : "org.bluez.Error." + name))
    #expect(found == sent)
  }

  @Test("An application's own error is sent by its number", arguments: [0x80, 0x81, 0x8F, 0x9F] as [UInt8])
  func application(code: UInt8) {
    for operation in [ATTErrorMapping.Operation.read, .write] {
      let (reply, sent) = ATTErrorMapping.reply(to: operation, error: ATTError(rawValue: code), daemon: nil)
      #expect(reply.name == "org.bluez.Error.Failed")
      #expect(Self.code(reply.message) == code)
      #expect(sent.rawValue == code)
    }
  }

  @Test("A release before 5.66 sends 0x80 for each of these", arguments: [(65, 0x80), (66, 0x83)] as [(Int, UInt8)])
  func oldApplication(minor: Int, expected: UInt8) {
    let (_, sent) = ATTErrorMapping.reply(
      to: .read, error: ATTError(rawValue: 0x83), daemon: DaemonVersion(5, minor))
    #expect(sent.rawValue == expected)
  }

  private static let impossible: [UInt8] =
    [0x01, 0x04, 0x05] + Array(0x09...0x0C) + Array(0x0F...0x13) + [0x14, 0x7F, 0xA0, 0xFC, 0xFF]

  @Test(
    "What bluetoothd cannot send becomes an unlikely error, and so does that one itself",
    arguments: impossible + [0x0E])
  func unsendable(code: UInt8) {
    let (reply, sent) = ATTErrorMapping.reply(to: .write, error: ATTError(rawValue: code), daemon: Self.new)
    #expect(sent == .unlikelyError)
    // Any other name would do; a name that bluetoothd knows would not.
    #expect(BlueZError.allCases.allSatisfy { $0.rawValue != reply.name.rawValue })
    #expect(reply.name != "org.freedesktop.DBus.Error.NoReply")
  }

  @Test("Every name is valid in D-Bus") func grammar() {
    for error in BlueZError.allCases { #expect(ErrorName(error.rawValue) == error.reply("").name) }
    #expect(Set(BlueZError.allCases.map { $0.reply("").name }).count == BlueZError.allCases.count)
  }

  /// `create_gatt_dbus_error` of BlueZ's src/gatt-client.c.
  @Test("A client gets the text of an ATT error, and that of none for 0x00")
  func client() {
    let texts = [0, 0x0E].map { GATTClientErrors.reply(to: ATTError(rawValue: $0)).message }
    #expect(texts == ["Operation failed", "Operation failed with ATT error: 0x0e"])
  }

  /// Reads a code as bluetoothd's `strtol` with base 0 does; nil if characters are left.
  private static func code(_ message: String) -> UInt8? {
    message.hasPrefix("0x") ? UInt8(message.dropFirst(2), radix: 16) : UInt8(message)
  }
}
