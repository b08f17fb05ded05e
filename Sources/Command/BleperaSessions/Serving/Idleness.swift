/// How long a phone that was started for apps stays without any.
package struct Idleness {
  /// How long the phone may take until its first app connects.
  private static let firstAppTimeout = Duration.seconds(10)

  /// How long the phone stays while an app is preserved and none runs.
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
