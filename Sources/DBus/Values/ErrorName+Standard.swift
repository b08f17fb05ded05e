/// The errors of the specification and of libdbus-1's `dbus-protocol.h`.
extension ErrorName {
  /// A generic error, when no other says what is wrong.
  package static let failed: ErrorName = "org.freedesktop.DBus.Error.Failed"
  package static let noMemory: ErrorName = "org.freedesktop.DBus.Error.NoMemory"
  /// Nobody owns the destination, and nothing could be started for it.
  package static let serviceUnknown: ErrorName = "org.freedesktop.DBus.Error.ServiceUnknown"
  package static let nameHasNoOwner: ErrorName = "org.freedesktop.DBus.Error.NameHasNoOwner"
  /// The answer did not come in time, or its sender left the bus; libdbus-1 makes it too.
  package static let noReply: ErrorName = "org.freedesktop.DBus.Error.NoReply"
  package static let ioError: ErrorName = "org.freedesktop.DBus.Error.IOError"
  package static let badAddress: ErrorName = "org.freedesktop.DBus.Error.BadAddress"
  package static let notSupported: ErrorName = "org.freedesktop.DBus.Error.NotSupported"
  package static let limitsExceeded: ErrorName = "org.freedesktop.DBus.Error.LimitsExceeded"
  /// The policy of the bus forbids the message.
  package static let accessDenied: ErrorName = "org.freedesktop.DBus.Error.AccessDenied"
  package static let authFailed: ErrorName = "org.freedesktop.DBus.Error.AuthFailed"
  package static let noServer: ErrorName = "org.freedesktop.DBus.Error.NoServer"
  package static let timeout: ErrorName = "org.freedesktop.DBus.Error.Timeout"
  package static let noNetwork: ErrorName = "org.freedesktop.DBus.Error.NoNetwork"
  package static let addressInUse: ErrorName = "org.freedesktop.DBus.Error.AddressInUse"
  package static let disconnected: ErrorName = "org.freedesktop.DBus.Error.Disconnected"
  package static let invalidArgs: ErrorName = "org.freedesktop.DBus.Error.InvalidArgs"
  package static let fileNotFound: ErrorName = "org.freedesktop.DBus.Error.FileNotFound"
  package static let fileExists: ErrorName = "org.freedesktop.DBus.Error.FileExists"
  package static let unknownMethod: ErrorName = "org.freedesktop.DBus.Error.UnknownMethod"
  package static let unknownObject: ErrorName = "org.freedesktop.DBus.Error.UnknownObject"
  package static let unknownInterface: ErrorName = "org.freedesktop.DBus.Error.UnknownInterface"
  package static let unknownProperty: ErrorName = "org.freedesktop.DBus.Error.UnknownProperty"
  package static let propertyReadOnly: ErrorName = "org.freedesktop.DBus.Error.PropertyReadOnly"
  package static let timedOut: ErrorName = "org.freedesktop.DBus.Error.TimedOut"
  package static let matchRuleNotFound: ErrorName = "org.freedesktop.DBus.Error.MatchRuleNotFound"
  package static let matchRuleInvalid: ErrorName = "org.freedesktop.DBus.Error.MatchRuleInvalid"
  package static let invalidSignature: ErrorName = "org.freedesktop.DBus.Error.InvalidSignature"
  package static let objectPathInUse: ErrorName = "org.freedesktop.DBus.Error.ObjectPathInUse"
  package static let inconsistentMessage: ErrorName = "org.freedesktop.DBus.Error.InconsistentMessage"
  package static let interactiveAuthorizationRequired: ErrorName =
    "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired"
}
