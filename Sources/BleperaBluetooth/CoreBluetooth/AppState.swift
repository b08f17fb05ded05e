/// The execution states of an iOS app. The possible transitions:
///
/// notRunning -> inactive, foreground, background; inactive -> background, foreground, suspended; foreground ->
/// background, suspended; background -> foreground, suspended; suspended -> background, foreground. Any -> notRunning.
public enum AppState: String, Hashable, Codable, CaseIterable, Sendable {
  /// Terminated, or not launched yet; its state may be preserved (R7).
  case notRunning
  /// Running, before the foreground or the background; what the app starts counts as started in the foreground.
  case inactive
  /// Running while the user sees the app.
  case foreground
  /// Running while the user does not see the app, for a limited time.
  case background
  /// In memory and not running: the app sends and handles nothing until its state changes.
  case suspended
}
