/// How an app comes to run.
package enum LaunchMode: String, Hashable, Sendable {
  case foreground
  /// As one that advertised in the foreground and then left: it is inactive until it starts advertising, or until its
  /// launch budget is over with the radio on, and its first advertisement counts as started in the foreground.
  case leftForeground
  /// By the system, into the background, for an event (R8).
  case relaunched
}
