/// The time that a phone which was started for apps stays without any.
package struct Idleness {
  /// The time that the first app has to connect.
  private static let firstAppTimeout = Duration.seconds(10)

  /// The time that the phone stays with preserved apps and none running.
  let linger: Duration
  private var since: SuspendingClock.Instant?
  private var hasHadApps = false

  package init(linger: Duration) { self.linger = linger }

  /// The time until the phone ends; nil while apps run.
  package mutating func rest(running: Int, preserved: Int, now: SuspendingClock.Instant) -> Duration? {
    guard running == 0 else {
      (hasHadApps, since) = (true, nil)
      return nil
    }
    let begin = since ?? now
    since = begin
    let limit = preserved > 0 ? linger : hasHadApps ? .zero : Self.firstAppTimeout
    return max(.zero, limit - begin.duration(to: now))
  }
}
