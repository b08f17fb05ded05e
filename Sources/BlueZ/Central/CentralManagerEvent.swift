package import DBus

/// What a central hears, in the order in which it happens.
package enum CentralManagerEvent: Sendable {
  case radio(RadioState)
  /// It listens from now on.
  case scanning
  /// bluetoothd does not let it listen; it is tried again.
  case scanningFailed(DBusFailure)
  /// A device is new to bluetoothd: with what its first advertisement says. Those that were there before are told of
  /// when they advertise.
  case appeared(FoundDevice)
  /// A known device has advertised something else, or the same where the filter asks for that: with everything that
  /// bluetoothd knows of it.
  case advertised(FoundDevice)
  /// bluetoothd has forgotten it.
  case vanished(FoundDevice)
  case connected(FoundDevice)
  case disconnected(FoundDevice)
  /// The value of a characteristic has come: a notification, an indication, or somebody's read.
  case value(characteristic: ObjectPath, [UInt8])
  /// The message bus is gone, and everything with it.
  case busLost
}
