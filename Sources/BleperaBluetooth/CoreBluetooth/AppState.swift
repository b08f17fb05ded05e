/// The execution states of an app, as iOS has them. What each may become:
///
/// notRunning -> inactive, foreground, background; inactive -> background, foreground, suspended; foreground ->
/// background, suspended; background -> foreground, suspended; suspended -> background, foreground. Any -> notRunning.
public enum AppState: String, Hashable, Codable, CaseIterable, Sendable {
  /// Terminated, or not launched yet; its state may be preserved (R7).
  case notRunning
  /// It runs, and is on its way to the foreground or the background; what it starts counts as started in the foreground.
  case inactive
  case foreground
  /// It runs where nobody sees it, for a limited time.
  case background
  /// It is in memory and does not run: it sends nothing and handles nothing until it is in another state.
  case suspended
}
