import BleperaLoop

/// The next deadline, and the timer for it, which may end before: requests are mostly answered long before their
/// deadline, so that a timer is not replaced for a later one.
struct DeadlineClock {
  var deadline: Duration?
  private var timer: (any LoopTimer)?
  private var timerEnd: Duration?

  /// Starts a timer for the deadline unless one ends before it; `start` receives the deadline.
  mutating func startTimer(_ start: (Duration) -> any LoopTimer) {
    guard let deadline else { return }
    if let timerEnd, timerEnd <= deadline { return }
    timerEnd = deadline
    timer = start(deadline)
  }

  /// The timer has ended: whether the deadline is reached.
  mutating func timerEnded(at now: Duration) -> Bool {
    (timer, timerEnd) = (nil, nil)
    return deadline.map { $0 <= now } ?? false
  }
}
