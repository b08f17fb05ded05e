/// Why an app is never told of an event.
package enum DropReason: String, Hashable, Sendable {
  /// It was the oldest of too many that wake an app.
  case queueFull
  case appEnded
  /// There is no such app.
  case noApp
}
