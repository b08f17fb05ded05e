import BleperaBluetooth
/// The deadlines of an app.
extension App {
  /// The time of the app's next deadline; nil where there is none.
  func due(_ phone: PhoneState) -> Duration? {
    let phaseDue = phaseDue(phone)
    guard let arrived = oldestRequest else { return phaseDue }
    let limit = arrived + rules.requestLimit.value
    return phaseDue.map { min($0, limit) } ?? limit
  }

  /// The arrival time of the oldest request without a response.
  private var oldestRequest: Duration? {
    if !pendingRequests.isEmpty, let request = pendingRequests.first(where: { !$0.isRefused }) {
      return request.arrived
    }
    return queue.isEmpty ? nil : queue.first(where: \.kind.isAnswered)?.arrived
  }

  private func phaseDue(_ phone: PhoneState) -> Duration? {
    switch phase {
    case .inactive(let since): phone.poweredOnSince.map { max(since, $0) + rules.launchBudget.value }
    case .foreground: nil
    case .background: budgetEnd
    case .suspended: throttleEnd
    case .gone(let gone): relaunchDue(gone, phone)
    }
  }

  mutating func passDeadline(_ phone: PhoneState, at now: Duration) -> [Policy.Action] {
    let actions = refuseSlowRequests(at: now)
    guard let due = phaseDue(phone), due <= now else { return actions }
    switch phase {
    case .inactive: return actions + enterBackground(.launchFinished, at: now)
    case .foreground: return actions
    case .background: return actions + endBudget(at: now)
    case .suspended: return actions + endThrottle(at: now)
    case .gone: return actions + passRelaunchDeadline(at: now)
    }
  }

  /// Refuses requests older than `requestLimit`, whatever the app's state. A background app must still respond to a
  /// refused request (R6).
  private mutating func refuseSlowRequests(at now: Duration) -> [Policy.Action] {
    var actions: [Policy.Action] = []
    for index in pendingRequests.indices
    where !pendingRequests[index].isRefused && pendingRequests[index].arrived + rules.requestLimit.value <= now {
      pendingRequests[index].isRefused = true
      actions.append(.refuse(id, pendingRequests[index].id, rules.timeoutError.value, nil))
    }
    while let index = queue.firstIndex(where: \.kind.isAnswered),
      queue[index].arrived + rules.requestLimit.value <= now
    {
      actions.append(.refuse(id, queue.remove(at: index).id, rules.timeoutError.value, nil))
    }
    if state != .background { pendingRequests.removeAll(where: \.isRefused) }
    return actions
  }
}
