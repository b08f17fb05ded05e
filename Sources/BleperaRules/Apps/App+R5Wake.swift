import BleperaBluetooth
extension NoticeKind {
  /// R5: reads, writes, subscriptions and unsubscriptions wake an app; other callbacks are queued until the next wake.
  var wakes: Bool {
    switch self {
    case .subscribe, .unsubscribe: true
    case .callback: false
    }
  }
}

/// R5: a suspended app with `bluetooth-peripheral` is woken, runs for its budget, and is suspended again.
extension App {
  /// Delivers queued events before the event that wakes the app.
  mutating func wake(_ reason: StateReason, at now: Duration) -> [Policy.Action] {
    phase = .background(since: now, until: now + rules.wakeBudget.value, .wake)
    throttledUntil = nil
    return [.setState(id, .background, reason)] + deliverQueue(at: now)
  }

  /// Grants a whole wake budget again for each event that would wake the app.
  mutating func extendBudget(at now: Duration) {
    guard hasBackgroundMode, case .background(let since, let until, let cause) = phase else { return }
    phase = .background(since: since, until: max(until, now + rules.wakeBudget.value), cause)
  }

  /// With `bluetooth-peripheral`, a pending request keeps the app awake until the request's own budget expires; then R6
  /// applies.
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
