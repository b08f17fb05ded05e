/// Why an app no longer runs.
package enum TerminationCause: String, Hashable, CaseIterable, Sendable {
  case memoryPressure
  case crash
  case forceQuit
  case exceededLimits
  case reboot
}
