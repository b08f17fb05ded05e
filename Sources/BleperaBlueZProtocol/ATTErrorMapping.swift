package import BleperaDBus
package import BleperaBluetooth

/// Which answer makes bluetoothd send which ATT error (`dbus_error_to_att_ecode` in BlueZ's src/gatt-database.c).
package enum ATTErrorMapping {
  package enum Operation: Sendable {
    case read
    case write
  }

  /// One row: the error that a D-Bus name becomes on the air.
  package struct Row: Sendable {
    package let error: ATTError
    package let name: BlueZError
    /// Nil where it holds for reads and writes alike.
    package let operation: Operation?
    /// The first bluetoothd that knows it; nil for every one.
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

  /// The D-Bus error that makes bluetoothd send `error`, and the ATT error that it then sends: `unlikelyError` where
  /// bluetoothd has no way to send the one asked for.
  package static func reply(
    to operation: Operation, error: ATTError, daemon: DaemonVersion?
  ) -> (reply: DBusErrorReply, sent: ATTError) {
    if ATTError.applicationRange.contains(error.rawValue) {
      // A message that is all number is taken as the code.
      return (BlueZError.failed.reply("0x" + Hex.string([error.rawValue])), error)
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

/// Which error a client of bluetoothd receives for an ATT error of the other device (`create_gatt_dbus_error` in BlueZ's
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

  /// What stands before the code, in hexadecimal, of any other error.
  private static let prefix = "Operation failed with ATT error: 0x"

  package static func reply(to error: ATTError) -> DBusErrorReply {
    rows.first { $0.errors.contains(error) }?.reply
      ?? BlueZError.failed.reply(prefix + Hex.string([error.rawValue], uppercase: false))
  }

  /// The errors that a reply can stand for; none where it stands for a refusal of bluetoothd's own. A refusal of
  /// bluetoothd's own with `notSupported` cannot be told from 0x06, and counts as such.
  package static func errors(of reply: DBusErrorReply) -> [ATTError] {
    if let row = rows.first(where: { $0.reply == reply }) { return row.errors }
    guard reply.bluez == .failed, reply.message.hasPrefix(prefix),
      let code = UInt8(reply.message.dropFirst(prefix.count), radix: 16)
    else { return [] }
    return [ATTError(rawValue: code)]
  }
}
