/// What time brings.
extension App {
  /// When something becomes due; nil where nothing will.
  func due(poweredOnSince: Duration?) -> Duration? {
    let phaseDue = phaseDue(poweredOnSince: poweredOnSince)
    guard !unanswered.isEmpty, let request = unanswered.first(where: { !$0.isRefused }) else { return phaseDue }
    let limit = request.delivered + rules.requestLimit.value
    return phaseDue.map { min($0, limit) } ?? limit
  }

  private func phaseDue(poweredOnSince: Duration?) -> Duration? {
    switch phase {
    case .inactive(let since): poweredOnSince.map { max(since, $0) + rules.launchBudget.value }
    case .foreground: nil
    case .background: budgetEnd
    case .suspended: throttleEnd
    }
  }

  mutating func passDeadline(poweredOnSince: Duration?, at now: Duration) -> [Policy.Action] {
    let actions = refuseSlowRequests(at: now)
    guard let due = phaseDue(poweredOnSince: poweredOnSince), due <= now else { return actions }
    switch phase {
    case .inactive: return actions + enterBackground(.launchOver, at: now)
    case .foreground: return actions
    case .background: return actions + endBudget(at: now)
    case .suspended: return actions + endThrottle(at: now)
    }
  }

  /// A central waits no longer than `requestLimit`, wherever the app is. In the background the app owes its answer all
  /// the same (R6).
  private mutating func refuseSlowRequests(at now: Duration) -> [Policy.Action] {
    guard !unanswered.isEmpty else { return [] }
    var actions: [Policy.Action] = []
    for index in unanswered.indices
    where !unanswered[index].isRefused && unanswered[index].delivered + rules.requestLimit.value <= now {
      unanswered[index].isRefused = true
      actions.append(.refuse(id, unanswered[index].id, rules.cutOffError.value, nil))
    }
    if state != .background { unanswered.removeAll(where: \.isRefused) }
    return actions
  }
}
