/// Where the user switches Bluetooth on or off (R15).
public enum BluetoothSwitch: String, Hashable, Codable, CaseIterable, Sendable {
  case settings
  case controlCenter
  case airplaneMode
}
