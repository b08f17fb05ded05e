/// What happened to an app before its next Bluetooth event (R15).
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
