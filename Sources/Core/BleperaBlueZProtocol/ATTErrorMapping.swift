package import BleperaBluetooth
package import BleperaDBus

/// The D-Bus errors for which bluetoothd sends ATT errors (`dbus_error_to_att_ecode` in BlueZ's src/gatt-database.c).
package enum ATTErrorMapping {
  package enum Operation: Sendable {
    case read
    case write
  }

  /// The ATT error that a D-Bus error name becomes on the air.
  package struct Row: Sendable {
    package let error: ATTError
    package let name: BlueZError
    /// Nil if the row applies to reads and writes alike.
    package let operation: Operation?
    /// The first release of bluetoothd that maps the name; nil for all releases.
    package let since: DaemonVersion?
  }

  package static let rows: [Row] = [
    Row(error: .readNotPermitted, name: .notPermitted, operation: .read, since: nil),
    Row(error: .writeNotPermitted, name: .notPermitted, operation: .write, since: nil),
    Row(error: .requestNotSupported, name: .notSupported, operation: nil, since: nil),
    Row(error: .invalidOffset, name: .invalidOffset, operation: nil, since: nil),
    Row(error: .insufficientAuthorization, name: .notAuthorized, operation: nil, since: nil),
    Row(error: .invalidAttributeValueLength, name: .invalidValueLength, operation: nil, since: nil),
    Row(error: .procedureAlreadyInProgress, name: .inProgress, operation: nil, since: nil),
    Row(
      error: .cccdImproperlyConfigured, name: .improperlyConfigured, operation: nil,
      since: DaemonQuirk.ignoresImproperlyConfigured.fixedIn),
  ]

  /// The D-Bus error that makes bluetoothd send `error`, and the ATT error that is sent: `unlikelyError` if bluetoothd
  /// cannot send the requested one.
  package static func reply(
    to operation: Operation, error: ATTError, daemon: DaemonVersion?
  ) -> (reply: DBusErrorReply, sent: ATTError) {
    if ATTError.applicationRange.contains(error.rawValue) {
      // bluetoothd reads a numeric message as the error code.
      let readsCodes = daemon.map { !DaemonQuirk.ignoresErrorCodes.applies(to: $0) } ?? true
      let sent = readsCodes ? error : ATTError(rawValue: ATTError.applicationRange.lowerBound)
      return (BlueZError.failed.reply("0x" + Hex.string([error.rawValue])), sent)
    }
    let row = rows.first { row in
      guard row.error == error, row.operation == nil || row.operation == operation else { return false }
      return row.since.map { since in daemon.map { $0 >= since } ?? false } ?? true
    }
    if let row { return (row.name.reply("\(error)"), error) }
    // Any name that bluetoothd does not know becomes 0x0E.
    return (DBusErrorReply(name: "org.blepera.Error.Unlikely", message: "\(error)"), .unlikelyError)
  }
}

/// The errors that bluetoothd's clients receive for ATT errors of the other device (`create_gatt_dbus_error` in BlueZ's
/// src/gatt-client.c).
package enum GATTClientErrors {
  package static let rows: [(errors: [ATTError], reply: DBusErrorReply)] = [
    ([.readNotPermitted], BlueZError.notPermitted.reply("Read not permitted")),
    ([.writeNotPermitted], BlueZError.notPermitted.reply("Write not permitted")),
    (
      [.insufficientAuthentication, .insufficientEncryption, .insufficientEncryptionKeySize],
      BlueZError.notPermitted.reply("Not paired")
    ),
    ([.invalidOffset], BlueZError.invalidArguments.reply("Invalid offset")),
    ([.invalidAttributeValueLength], BlueZError.invalidArguments.reply("Invalid Length")),
    ([.insufficientAuthorization], BlueZError.notAuthorized.reply("Operation Not Authorized")),
    ([.requestNotSupported], BlueZError.notSupported.reply("Operation is not supported")),
  ]

  /// The text before the hexadecimal code of any other error.
  private static let prefix = "Operation failed with ATT error: 0x"

  package static func reply(to error: ATTError) -> DBusErrorReply {
    if error.rawValue == 0 { return BlueZError.failed.reply("Operation failed") }
    return rows.first { $0.errors.contains(error) }?.reply
      ?? BlueZError.failed.reply(prefix + Hex.string([error.rawValue], uppercase: false))
  }

  /// The ATT errors that a reply can represent; empty for bluetoothd's own refusals. bluetoothd's own `notSupported`
  /// cannot be distinguished from 0x06, and counts as 0x06.
  package static func errors(of reply: DBusErrorReply) -> [ATTError] {
    if let row = rows.first(where: { $0.reply == reply }) { return row.errors }
    guard reply.bluez == .failed, reply.message.hasPrefix(prefix),
      let code = UInt8(reply.message.dropFirst(prefix.count), radix: 16)
    else { return [] }
    return [ATTError(rawValue: code)]
  }
}
