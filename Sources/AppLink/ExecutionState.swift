/// What the system lets an app do: its states of execution on iOS, without the one in which it is not running.
public enum ExecutionState: String, Hashable, Codable, CaseIterable, Sendable {
  /// It runs, and is on its way to the foreground or the background.
  case inactive
  case foreground
  /// It runs where nobody sees it, for a limited time.
  case background
  /// It is in memory and does not run: it sends nothing and handles nothing until it is in another state.
  case suspended
}
