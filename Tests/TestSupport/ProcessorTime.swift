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
/// quadratic. The shortest of three runs counts. The runs of both counts take turns, so that a busy machine delays
/// both.
package func growth(from count: Int, _ body: (Int) -> Void) -> Double {
  let runs = (0..<3).map { _ in
    (once: processorTime { body(count) }, fourTimes: processorTime { body(4 * count) })
  }
  return (runs.map(\.fourTimes).min() ?? .zero) / (runs.map(\.once).min() ?? .zero)
}
