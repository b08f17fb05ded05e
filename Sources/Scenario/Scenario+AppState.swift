extension Scenario {
  package enum AppState: String, Hashable, CaseIterable, Sendable {
    case notRunning, inactive, foreground, background, suspended
  }
}
