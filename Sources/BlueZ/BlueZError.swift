package import DBus
package import GATT

/// The errors that bluetoothd knows from the answers of a GATT application, and nothing else.
package enum BlueZError: String, CaseIterable, Sendable {
  case failed = "org.bluez.Error.Failed"
  case inProgress = "org.bluez.Error.InProgress"
  case invalidOffset = "org.bluez.Error.InvalidOffset"
  case invalidValueLength = "org.bluez.Error.InvalidValueLength"
  case notAuthorized = "org.bluez.Error.NotAuthorized"
  case notPermitted = "org.bluez.Error.NotPermitted"
  case notSupported = "org.bluez.Error.NotSupported"
  case improperlyConfigured = "org.bluez.Error.ImproperlyConfigured"
  /// An Agent1's refusal.
  case rejected = "org.bluez.Error.Rejected"

  package func reply(_ message: String) -> DBusErrorReply {
    DBusErrorReply(name: ErrorName(stringLiteral: rawValue), message: message)
  }
}

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
    Row(error: .cccdImproperlyConfigured, name: .improperlyConfigured, operation: nil, since: DaemonVersion(5, 76)),
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
