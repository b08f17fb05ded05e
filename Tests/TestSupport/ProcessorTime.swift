import Glibc

/// The time of the processor that a body takes on its thread, which other processes do not change.
package func processorTime(of body: () -> Void) -> Duration {
  func now() -> Duration {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
  let start = now()
  body()
  return now() - start
}

/// By how much the processor's time grows from a count to four times the count: 4 where it is linear, 16 where it is
/// quadratic. The shortest of three runs counts.
package func growth(from count: Int, _ body: (Int) -> Void) -> Double {
  func shortest(_ count: Int) -> Duration { (0..<3).map { _ in processorTime { body(count) } }.min() ?? .zero }
  return shortest(4 * count) / shortest(count)
}
