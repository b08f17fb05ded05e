/// What became of an app before it has a Bluetooth event (R15).
package enum RelaunchOccasion: String, Hashable, CaseIterable, Sendable {
  case suspended
  case memoryPressure
  case crash
  case forceQuit
  case exceededLimits
  case bluetoothSwitchedInSettings
  case bluetoothToggledInControlCenter
  case airplaneMode
  case reboot
}
