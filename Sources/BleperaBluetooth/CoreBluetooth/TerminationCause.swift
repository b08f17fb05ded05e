/// Why an app was terminated.
public enum TerminationCause: String, Hashable, Codable, CaseIterable, Sendable {
  case memoryPressure
  case crash
  /// The user has swiped the app away.
  case forceQuit
  case exceededLimits
  case reboot
  /// The phone is shutting down; sent over links only, because the preserved state does not record this cause.
  case shutDown
}
