import BleperaBlueZProtocol
package import BleperaBluetooth
package import BleperaDBus

/// The errors of bluetoothd, with its names and messages (BlueZ src/error.c, src/gatt-client.c).
extension DBusErrorReply {
  package static func bluez(_ name: String, _ message: String) -> DBusErrorReply {
    DBusErrorReply(name: ErrorName("org.bluez.Error." + name) ?? .failed, message: message)
  }

  static let invalidArguments = bluez("InvalidArguments", "Invalid arguments in method call")
  static let alreadyExists = bluez("AlreadyExists", "Already Exists")
  static let doesNotExist = bluez("DoesNotExist", "Does Not Exist")
  static let notReady = bluez("NotReady", "Resource Not Ready")
  static let inProgress = bluez("InProgress", "In Progress")
  static let busy = bluez("InProgress", "Operation already in progress")
  static let notSupported = bluez("NotSupported", "Operation is not supported")

  static func failed(_ message: String) -> DBusErrorReply { bluez("Failed", message) }
  static func notPermitted(_ message: String) -> DBusErrorReply { bluez("NotPermitted", message) }

  /// The error that a program receives for an ATT error of the other device (`create_gatt_dbus_error`).
  package init(att error: ATTError) {
    self = GATTClientErrors.reply(to: error)
  }

  init(_ failure: ProcedureFailure) {
    switch failure {
    case .att(let error): self.init(att: error)
    // bluetoothd fails pending operations as if the other side had responded with an error (measured).
    case .disconnected: self.init(att: .unlikelyError)
    case .notConnected: self = .failed("Not connected")
    case .pairing(.failed): self = .bluez("AuthenticationFailed", "Authentication Failed")
    case .pairing(.cancelled): self = .bluez("AuthenticationCanceled", "Authentication Canceled")
    case .pairing(.rejected): self = .bluez("AuthenticationRejected", "Authentication Rejected")
    case .pairing(.inProgress): self = .inProgress
    case .pairing(.alreadyPaired): self = .alreadyExists
    case .channel: self = .failed("Not supported")
    }
  }
}
