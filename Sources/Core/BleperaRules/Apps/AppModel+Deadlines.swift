import BleperaBluetooth

extension AppModel {
  /// The time of the app's next deadline; nil where there is none.
  func due(_ phone: PhoneState) -> Duration? {
    let limit = phone.requestTimeLimit.flatMap { allowed in oldestRequest.map { $0 + allowed } }
    return Self.earlier(phaseDue(phone), Self.earlier(limit, creationDue))
  }

  private static func earlier(_ first: Duration?, _ second: Duration?) -> Duration? {
    guard let first, let second else { return first ?? second }
    return min(first, second)
  }

  /// The arrival time of the oldest request without a response.
  private var oldestRequest: Duration? {
    let pending = pendingRequests.isEmpty ? nil : pendingRequests.first { !$0.isRefused }?.arrived
    return Self.earlier(pending, queue.isEmpty ? nil : queue.first(where: \.kind.isAnswered)?.arrived)
  }

  private func phaseDue(_ phone: PhoneState) -> Duration? {
    switch phase {
    case .inactive(let since): phone.poweredOnSince.map { max(since, $0) + rules.launchBudget.value }
    case .foreground: nil
    case .background: budgetEnd
    case .suspended: throttleEnd
    case .terminated(let termination): relaunchDue(termination, phone)
    }
  }

  mutating func passDeadline(_ phone: PhoneState, at now: Duration) -> [Policy.Action] {
    var actions = phone.requestTimeLimit.map { refuseRequests(arrivedBy: now - $0) } ?? []
    forgetRefusedRequests()
    if let creationDue, creationDue <= now { actions += forget(uncreated) }
    guard let due = phaseDue(phone), due <= now else { return actions }
    switch phase {
    case .inactive: return actions + enterBackground(.launchFinished, at: now)
    case .foreground: return actions
    case .background: return actions + endBudget(at: now)
    case .suspended: return actions + endThrottle(at: now)
    case .terminated: return actions + passRelaunchDeadline(at: now)
    }
  }

  /// Refuses requests that have waited for the radio's limit, whatever the app's state.
  private mutating func refuseRequests(arrivedBy time: Duration) -> [Policy.Action] {
    let slow = pendingRequests.filter { !$0.isRefused && $0.arrived <= time }.map(\.id)
    let waiting = queue.filter { $0.kind.isAnswered && $0.arrived <= time }.map(\.id)
    return (slow + waiting).flatMap { abandon($0) }
  }

  /// Refuses a request that no central waits for any longer. A background app must still respond to a request that it
  /// has received (R6).
  mutating func abandon(_ request: EventID) -> [Policy.Action] {
    if let index = queue.firstIndex(where: { $0.id == request && $0.kind.isAnswered }) {
      queue.remove(at: index)
    } else if let index = pendingRequests.firstIndex(where: { $0.id == request && !$0.isRefused }) {
      pendingRequests[index].isRefused = true
      forgetRefusedRequests()
    } else {
      return []
    }
    return [.refuse(id, request, rules.timeoutError.value, nil)]
  }

  private mutating func forgetRefusedRequests() {
    if state != .background { pendingRequests.removeAll(where: \.isRefused) }
  }
}

/// The state of the phone that determines the deadlines of its apps.
struct PhoneState {
  /// Nil while the radio is not on.
  let poweredOnSince: Duration?
  /// Whether the phone was rebooted and has not been unlocked since.
  let isBeforeFirstUnlock: Bool
  /// How long any app may take to respond to a request; nil for no limit.
  let requestTimeLimit: Duration?

  var mayRelaunch: Bool { poweredOnSince != nil && !isBeforeFirstUnlock }
}
