/// The execution states of an iOS app. The possible transitions:
///
/// notRunning -> inactive, foreground, background; inactive -> background, foreground, suspended; foreground ->
/// background, suspended; background -> foreground, suspended; suspended -> background, foreground. Any -> notRunning.
public enum AppState: String, Hashable, Codable, CaseIterable, Sendable {
  /// Terminated, or not launched yet; its state may be preserved (R7).
  case notRunning
  /// Running, before the foreground or the background; the app's actions count as started in the foreground.
  case inactive
  /// Running while the user sees the app.
  case foreground
  /// Running while the user does not see the app, for a limited time.
  case background
  /// In memory and not running: the app sends and handles nothing until its state changes.
  case suspended
}

/// Why an app was terminated.
public enum TerminationCause: String, Hashable, Codable, CaseIterable, Sendable {
  /// The system needed memory.
  case memoryPressure
  /// The app's process ended by itself.
  case crash
  /// The user has swiped the app away.
  case forceQuit
  /// The app exceeded the limits of the background (R6).
  case exceededLimits
  /// The phone rebooted.
  case reboot
  /// The phone is shutting down; sent over links only, because the preserved state does not record this cause.
  case shutDown
}

/// How an app is launched.
public enum LaunchMode: String, Hashable, Codable, CaseIterable, Sendable {
  /// The user has tapped its icon.
  case foreground
  /// Launched as if the app had advertised in the foreground and then moved to the background: it is inactive until it
  /// starts advertising, or until its launch budget expires with the radio on, and its first advertisement counts as
  /// started in the foreground.
  case leftForeground
  /// Launched by the system into the background for an event (R8). An app that the phone does not know is launched as
  /// `leftForeground` instead.
  case background
}

extension TerminationCause {
  /// Whether an app in that state is notified of its end: where the user quits it while it runs (Apple,
  /// applicationWillTerminate(_:): "running in the background (not suspended)").
  package func isAnnounced(to state: AppState) -> Bool {
    self == .forceQuit && state != .suspended && state != .notRunning
  }
}
