/// Where the user switches Bluetooth off (R15).
package enum BluetoothSwitch: String, Hashable, CaseIterable, Sendable {
  case settings
  case controlCenter
  case airplaneMode
}
