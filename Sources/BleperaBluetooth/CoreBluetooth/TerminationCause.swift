/// Why an app was terminated.
public enum TerminationCause: String, Hashable, Codable, CaseIterable, Sendable {
  /// The system needed memory.
  case memoryPressure
  /// The app's process ended by itself.
  case crash
  /// The user has swiped the app away.
  case forceQuit
  /// The app exceeded the limits of the background (R6).
  case exceededLimits
  /// The phone rebooted.
  case reboot
  /// The phone is shutting down; sent over links only, because the preserved state does not record this cause.
  case shutDown
}
