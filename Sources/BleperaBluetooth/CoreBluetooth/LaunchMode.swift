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
