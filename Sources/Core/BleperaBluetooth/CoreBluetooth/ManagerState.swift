/// The states of `CBManagerState`, with its raw values.
public enum ManagerState: Int, Hashable, Codable, CaseIterable, Sendable {
  /// The state is not known yet.
  case unknown = 0
  /// The connection to the system's Bluetooth service was lost, and an update follows.
  case resetting = 1
  /// The device has no Bluetooth LE.
  case unsupported = 2
  /// The user has not allowed the app to use Bluetooth.
  case unauthorized = 3
  /// Bluetooth is off.
  case poweredOff = 4
  /// Bluetooth is on, and the app may use it.
  case poweredOn = 5
}

/// Where the user switches Bluetooth on or off (R15).
public enum BluetoothSwitch: String, Hashable, Codable, CaseIterable, Sendable {
  /// The Settings app.
  case settings
  /// Control Center.
  case controlCenter
  /// Airplane mode that switches Bluetooth off with it.
  case airplaneMode
}
