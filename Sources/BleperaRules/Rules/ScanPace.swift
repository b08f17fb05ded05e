/// How much of the time a central listens.
package struct ScanPace: Hashable, Sendable, CustomStringConvertible {
  /// From one beginning to listen to the next.
  package let interval: Duration
  /// The part of it in which it listens.
  package let window: Duration

  /// Whether it listens that long after it has begun.
  package func isOpen(after elapsed: Duration) -> Bool { elapsed - interval * Int(elapsed / interval) < window }

  /// `30 ms of 40 ms`.
  package var description: String { "\(Int(window / .milliseconds(1))) ms of \(Int(interval / .milliseconds(1))) ms" }
}
