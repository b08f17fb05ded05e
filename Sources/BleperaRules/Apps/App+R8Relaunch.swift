/// R8: what would wake a suspended app relaunches one that is gone, and waits for it (Apple, Core Bluetooth Background
/// Processing for iOS Apps; QA1962; TN3115). Without the mode only the user brings it back (R4).
///
/// A relaunch that leads to nothing is tried again later each time, and at last not at all: that is no rule of iOS.
extension App {
  /// Where the next relaunch stands.
  enum Relaunch: Hashable {
    /// For the next event that wakes, but not before that time.
    case ready(from: Duration)
    /// Asked for, and the app has not said anything yet.
    case underWay(since: Duration)
    /// Only the user launches it now.
    case givenUp
  }

  mutating func receiveWhileGone(_ event: Waiting, isBeforeFirstUnlock: Bool) -> [Policy.Action] {
    let isOutOfReach = isBeforeFirstUnlock || gone?.relaunch == .givenUp
    if event.kind.isAnswered, hasBackgroundMode, isOutOfReach {
      return [.refuse(id, event.id, rules.cutOffError.value, isBeforeFirstUnlock ? .r15 : .r8)]
    }
    guard event.kind.wakes, !isBeforeFirstUnlock else { return [.drop(id, event.id, .appEnded)] }
    return enqueue(event)
  }

  /// When it is to be relaunched, or has had its time for that; nil where neither is to come.
  func relaunchDue(_ gone: Gone, _ phone: PhoneState) -> Duration? {
    switch gone.relaunch {
    case .ready(let time):
      guard hasBackgroundMode, phone.mayRelaunch, queue.contains(where: \.kind.wakes) else { return nil }
      return time
    case .underWay(let since): return since + rules.launchBudget.value
    case .givenUp: return nil
    }
  }

  mutating func passRelaunchDeadline(at now: Duration) -> [Policy.Action] {
    switch gone?.relaunch {
    case .ready:
      guard let first = queue.first(where: \.kind.wakes) else { return [] }
      set(.underWay(since: now))
      return [.relaunch(id, first.kind.reason)]
    case .underWay: return failRelaunch(at: now)
    case .givenUp, nil: return []
    }
  }

  /// The process could not be started, or ended too early.
  mutating func relaunchFailed(at now: Duration) -> [Policy.Action] {
    guard case .underWay = gone?.relaunch else { return [] }
    return failRelaunch(at: now)
  }

  mutating func failRelaunch(at now: Duration) -> [Policy.Action] {
    failedRelaunches += 1
    guard failedRelaunches < rules.relaunchLimit.value else {
      set(.givenUp)
      return refuseRequests(rules.cutOffError.value, .r8) + [.giveUp(id)]
    }
    set(.ready(from: now + rules.relaunchBackOff.value * (1 << (failedRelaunches - 1))))
    return []
  }

  /// A relaunch has led to something: the count begins anew.
  mutating func passTrial() {
    isOnTrial = false
    failedRelaunches = 0
  }

  private mutating func set(_ relaunch: Relaunch) {
    guard var gone else { return }
    gone.relaunch = relaunch
    phase = .gone(gone)
  }
}
