/// Why an app is never told of an event.
package enum DropReason: String, Hashable, Sendable {
  /// It was the oldest of too many that wake an app.
  case queueFull
  /// It no longer runs; one that comes back is told how things stand.
  case appEnded
  /// There is no such app.
  case noApp
}
