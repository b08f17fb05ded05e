/// Why an app no longer runs.
public enum TerminationCause: String, Hashable, Codable, CaseIterable, Sendable {
  case memoryPressure
  case crash
  /// The user has swiped it away.
  case forceQuit
  case exceededLimits
  case reboot
  /// The phone is shut down; on a link only, since nothing is preserved of that.
  case shutDown
}
