/// Why the system ends an app.
public enum TerminationReason: String, Hashable, Codable, CaseIterable, Sendable {
  /// The user has swiped it away.
  case forceQuit
  case memoryPressure
  case exceededLimits
  case reboot
  /// The phone is shut down.
  case shutDown
}
