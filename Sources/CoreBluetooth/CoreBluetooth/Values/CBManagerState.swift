/// Whether Bluetooth can be used.
public enum CBManagerState: Int, Hashable, Sendable {
  /// The phone has not reported a state yet.
  case unknown = 0
  /// The connection to the system was lost; another update follows.
  case resetting = 1
  /// The device does not support the role.
  case unsupported = 2
  /// The app may not use Bluetooth.
  case unauthorized = 3
  /// Bluetooth is off.
  case poweredOff = 4
  /// Bluetooth is on.
  case poweredOn = 5
}

/// Whether the user lets the app use Bluetooth.
public enum CBManagerAuthorization: Int, Hashable, Sendable {
  /// The user has not been asked.
  case notDetermined = 0
  /// The app cannot be allowed to use Bluetooth, for example because of parental controls.
  case restricted = 1
  /// The user does not allow it.
  case denied = 2
  /// The user allows it.
  case allowedAlways = 3
}

/// The states of a peripheral manager before iOS 10. Use ``CBManagerState``.
public enum CBPeripheralManagerState: Int, Hashable, Sendable {
  /// The state is not known yet.
  case unknown = 0
  /// The connection to the system was lost; another update follows.
  case resetting = 1
  /// The device does not support the role.
  case unsupported = 2
  /// The app may not use Bluetooth.
  case unauthorized = 3
  /// Bluetooth is off.
  case poweredOff = 4
  /// Bluetooth is on.
  case poweredOn = 5
}

/// The states of a central manager before iOS 10. Use ``CBManagerState``.
public enum CBCentralManagerState: Int, Hashable, Sendable {
  /// The state is not known yet.
  case unknown = 0
  /// The connection to the system was lost; another update follows.
  case resetting = 1
  /// The device does not support the role.
  case unsupported = 2
  /// The app may not use Bluetooth.
  case unauthorized = 3
  /// Bluetooth is off.
  case poweredOff = 4
  /// Bluetooth is on.
  case poweredOn = 5
}

/// The authorization of a peripheral manager before iOS 13. Use ``CBManagerAuthorization``.
public enum CBPeripheralManagerAuthorizationStatus: Int, Hashable, Sendable {
  /// The user has not been asked.
  case notDetermined = 0
  /// The app cannot be allowed to use Bluetooth.
  case restricted = 1
  /// The user does not allow it.
  case denied = 2
  /// The user allows it.
  case authorized = 3
}

/// How quickly a peripheral may respond, at the cost of a central's battery.
public enum CBPeripheralManagerConnectionLatency: Int, Hashable, Sendable {
  /// A short connection interval.
  case low = 0
  /// A medium connection interval.
  case medium = 1
  /// A long connection interval.
  case high = 2
}
