/// The execution states of an app, as iOS has them. What each may become:
///
/// notRunning -> inactive, foreground, background; inactive -> background, foreground, suspended; foreground ->
/// background, suspended; background -> foreground, suspended; suspended -> background, foreground. Any -> notRunning.
package enum AppState: String, Hashable, CaseIterable, Sendable {
  /// Ended, or not launched yet; its state may be preserved (R7).
  case notRunning
  /// Launched, and on its way to the background: it runs, and what it starts counts as started in the foreground.
  case inactive
  case foreground
  /// Running where nobody sees it, for a limited time.
  case background
  /// In memory, and not running.
  case suspended
}
