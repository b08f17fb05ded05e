/// Why an event is never delivered to its app.
package enum DropReason: String, Hashable, Sendable {
  /// The queue was full, and this was the oldest event that may be dropped.
  case queueFull
  /// The app was terminated; a relaunched app receives the current state.
  case appEnded
  /// The app has not created the event's manager in time.
  case noManager
  /// There is no such app.
  case noApp
}
