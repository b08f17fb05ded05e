package import BleperaDBus

/// The names of bluetoothd's errors, and of the errors that it accepts from applications.
package enum BlueZError: String, CaseIterable, Sendable {
  case failed = "org.bluez.Error.Failed"
  case inProgress = "org.bluez.Error.InProgress"
  case invalidOffset = "org.bluez.Error.InvalidOffset"
  case invalidValueLength = "org.bluez.Error.InvalidValueLength"
  case notAuthorized = "org.bluez.Error.NotAuthorized"
  case notPermitted = "org.bluez.Error.NotPermitted"
  case notSupported = "org.bluez.Error.NotSupported"
  case improperlyConfigured = "org.bluez.Error.ImproperlyConfigured"
  /// The refusal of an Agent1.
  case rejected = "org.bluez.Error.Rejected"

  case alreadyExists = "org.bluez.Error.AlreadyExists"
  case authenticationFailed = "org.bluez.Error.AuthenticationFailed"
  case doesNotExist = "org.bluez.Error.DoesNotExist"
  case invalidArguments = "org.bluez.Error.InvalidArguments"
  case notConnected = "org.bluez.Error.NotConnected"
  case notReady = "org.bluez.Error.NotReady"

  package var name: ErrorName { ErrorName(rawValue) ?? .failed }

  package func reply(_ message: String) -> DBusErrorReply { DBusErrorReply(name: name, message: message) }
}

extension DBusErrorReply {
  /// Nil for any other error.
  package var bluez: BlueZError? { BlueZError(rawValue: name.rawValue) }
}
