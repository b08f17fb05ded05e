/// Why an app no longer runs.
package enum TerminationCause: String, Hashable, Codable, CaseIterable, Sendable {
  case memoryPressure
  case crash
  case forceQuit
  case exceededLimits
  case reboot
}
