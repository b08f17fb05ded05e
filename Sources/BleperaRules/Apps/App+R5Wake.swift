import BleperaBluetooth
extension NoticeKind {
  /// R5: subscriptions wake an app, as reads and writes do; other callbacks wait for the next wake.
  var wakes: Bool {
    switch self {
    case .subscribe, .unsubscribe: true
    case .callback: false
    }
  }
}

/// R5: with the mode a suspended app is woken, runs for its budget, and is suspended again.
extension App {
  /// What waits is delivered before what has woken it.
  mutating func wake(_ reason: StateReason, at now: Duration) -> [Policy.Action] {
    phase = .background(since: now, until: now + rules.wakeBudget.value, .wake)
    throttledUntil = nil
    return [.setState(id, .background, reason)] + deliverQueue(at: now)
  }

  /// Each event that would wake it gives a whole budget again.
  mutating func extendBudget(at now: Duration) {
    guard hasBackgroundMode, case .background(let since, let until, let cause) = phase else { return }
    phase = .background(since: since, until: max(until, now + rules.wakeBudget.value), cause)
  }

  /// With the mode, an unanswered request holds the app awake until its own budget is over; then R6 applies.
  var budgetEnd: Duration? {
    guard case .background(let since, let until, _) = phase else { return nil }
    guard hasBackgroundMode, let oldest = unanswered.first else { return until }
    return max(since, oldest.delivered) + rules.wakeBudget.value
  }

  mutating func endBudget(at now: Duration) -> [Policy.Action] {
    guard hasBackgroundMode else { return endForegroundOnlyGrace() }
    guard unanswered.isEmpty else { return cutOff(at: now) }
    guard case .background(_, _, let cause) = phase else { return [] }
    overstays = 0
    return suspend(cause == .wake ? .budgetOver : .graceOver)
  }
}
