/// Where the user switches Bluetooth on or off (R15).
public enum BluetoothSwitch: String, Hashable, Codable, CaseIterable, Sendable {
  /// The Settings app.
  case settings
  /// Control Center.
  case controlCenter
  /// Airplane mode that switches Bluetooth off with it.
  case airplaneMode
}
