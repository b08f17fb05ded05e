import GATT

/// The changes of state, and what each brings with it.
extension App {
  /// What waits is delivered.
  mutating func enterForeground(_ reason: StateReason) -> [Policy.Action] {
    guard phase != .foreground else { return [] }
    phase = .foreground
    overstays = 0
    throttledUntil = nil
    startsAsInFront = false
    grantAll()
    unanswered.removeAll(where: \.isRefused)
    return [.setState(id, .foreground, reason)] + deliverQueue()
  }

  mutating func enterBackground(_ reason: StateReason, at now: Duration) -> [Policy.Action] {
    switch phase {
    case .inactive, .foreground:
      phase = .background(since: now, until: now + grace, .grace)
      return [.setState(id, .background, reason)]
    case .background, .suspended: return []
    }
  }

  /// What is unanswered is refused: the app cannot answer any more.
  mutating func suspend(_ reason: StateReason) -> [Policy.Action] {
    guard phase != .suspended else { return [] }
    phase = .suspended
    let refusals =
      hasBackgroundMode
      ? refuseUnanswered(rules.cutOffError.value, reason == .overstayed ? .r6 : nil)
      : refuseUnanswered(rules.suspendedError.value, .r4)
    return refusals + [.setState(id, .suspended, reason)]
  }

  /// What waits and what is unanswered goes with the app.
  mutating func end(_ cause: TerminationCause) -> [Policy.Action] {
    let drops = queue.map { Policy.Action.drop(id, $0.id, .appEnded) }
    queue = []
    return refuseUnanswered(rules.cutOffError.value, nil) + drops + [.setState(id, .notRunning, .ended(cause))]
  }

  mutating func refuseUnanswered(_ error: ATTError, _ rule: RuleID?) -> [Policy.Action] {
    defer { unanswered = [] }
    return unanswered.filter { !$0.isRefused }.map { .refuse(id, $0.id, error, rule) }
  }

  private var grace: Duration {
    hasBackgroundMode ? rules.backgroundGrace.value : rules.foregroundOnlyGrace.value
  }
}
