import BleperaBluetooth

/// R8: an event that would wake a suspended app relaunches a terminated one and is queued for it (Apple, Core Bluetooth
/// Background Processing for iOS Apps; QA1962; TN3115). Only the user launches an app without `bluetooth-peripheral`
/// (R4) and one that neither advertised (TN3115) nor had a connected central when it was terminated. An event of a
/// restored central manager relaunches an app with `bluetooth-central`: its scan, its connections and the waits for
/// them are the condition.
///
/// A failed relaunch is retried after a growing delay, up to a limit; this is not a rule of iOS.
extension AppModel {
  /// The state of the next relaunch.
  enum Relaunch: Hashable {
    /// The next event that wakes apps relaunches the app, but not before this time.
    case ready(from: Duration)
    /// Requested; the process has not connected yet.
    case inProgress(since: Duration)
    /// Only the user launches the app.
    case givenUp
  }

  mutating func receiveWhileTerminated(_ event: Waiting, isBeforeFirstUnlock: Bool) -> [Policy.Action] {
    let isOutOfReach = isBeforeFirstUnlock || termination?.relaunch == .givenUp || termination?.isRelaunchable == false
    if event.kind.isAnswered, hasBackgroundMode, isOutOfReach {
      return [.refuse(id, event.id, rules.timeoutError.value, isBeforeFirstUnlock ? .r15 : .r8)]
    }
    guard event.kind.isKept, !isBeforeFirstUnlock else {
      return [.drop(id, event.id, .appEnded(isBeforeFirstUnlock ? .r15 : .r7))]
    }
    return enqueue(event)
  }

  private func relaunches(_ event: Waiting) -> Bool {
    guard event.kind.relaunches else { return false }
    return event.kind.isOfCentralManager
      ? identity.hasCentralBackgroundMode : hasBackgroundMode && termination?.isRelaunchable == true
  }

  /// When the app is to be relaunched, or when the relaunch in progress times out; nil where neither is due.
  func relaunchDue(_ termination: Termination, _ phone: PhoneState) -> Duration? {
    switch termination.relaunch {
    case .ready(let time):
      return phone.mayRelaunch && queue.contains(where: relaunches) ? time : nil
    case .inProgress(let since): return since + rules.launchBudget.value
    case .givenUp: return nil
    }
  }

  mutating func passRelaunchDeadline(at now: Duration) -> [Policy.Action] {
    switch termination?.relaunch {
    case .ready:
      guard let first = queue.first(where: relaunches) else { return [] }
      set(.inProgress(since: now))
      return [.relaunch(id, first.kind.reason)]
    case .inProgress: return failRelaunch(at: now)
    case .givenUp, nil: return []
    }
  }

  /// The process could not be started, or exited before it connected.
  mutating func relaunchFailed(at now: Duration) -> [Policy.Action] {
    guard case .inProgress = termination?.relaunch else { return [] }
    return failRelaunch(at: now)
  }

  mutating func failRelaunch(at now: Duration) -> [Policy.Action] {
    failedRelaunches += 1
    guard failedRelaunches < rules.relaunchLimit.value else {
      set(.givenUp)
      return refuseRequests(rules.timeoutError.value, .r8) + [.giveUp(id)]
    }
    set(.ready(from: now + rules.relaunchBackOff.value * (1 << (failedRelaunches - 1))))
    return []
  }

  /// Records that a relaunch has succeeded, which resets the failure count.
  mutating func confirmRelaunch() {
    isRelaunchUnconfirmed = false
    failedRelaunches = 0
  }

  private mutating func set(_ relaunch: Relaunch) {
    guard var termination else { return }
    termination.relaunch = relaunch
    phase = .terminated(termination)
  }
}
