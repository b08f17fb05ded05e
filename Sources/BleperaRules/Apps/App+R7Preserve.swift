import BleperaBluetooth
/// R7: what an app has published and advertises outlives it, where it opts in by a restoration identifier and R15 lets
/// it (Apple, Core Bluetooth Background Processing for iOS Apps, "State Preservation and Restoration").
///
/// What is published and who is subscribed is the shell's to keep; that its advertisement stays as one in the background
/// is `Advertiser.isInBackground`.
extension App {
  /// An app that has ended and may come back.
  struct Gone: Hashable {
    var cause: TerminationCause
    var relaunch = Relaunch.ready(from: .zero)
  }

  var gone: Gone? {
    guard case .gone(let gone) = phase else { return nil }
    return gone
  }

  /// With one that is on its way.
  var hasProcess: Bool {
    switch gone?.relaunch {
    case nil, .underWay: true
    case .ready, .givenUp: false
    }
  }

  /// Whether it stays, without running.
  func isPreserved(after occasion: RelaunchOccasion) -> Bool {
    guard identity.isRestorable else { return false }
    switch rules.relaunch[occasion]?.value {
    case .resumed, .relaunched, .relaunchedAfterFirstUnlock: return true
    case .relaunchedWithAccessorySetup: return identity.usesAccessorySetup
    case .notRelaunched, nil: return false
    }
  }

  /// It no longer runs. What it was asked and has not answered is refused and never asked again; subscriptions, their
  /// ends and commands go on waiting; other callbacks go with it, as it hears anew how things stand.
  mutating func preserve(_ cause: TerminationCause, at now: Duration) -> [Policy.Action] {
    let hasFailed = isOnTrial && (cause == .crash || cause == .memoryPressure)
    let ending = refuseRequests(rules.cutOffError.value, nil) + dropQueue { !$0.kind.wakes }
    phase = .gone(Gone(cause: cause))
    startsAsInFront = false
    isOnTrial = false
    overstays = 0
    throttledUntil = nil
    let actions = ending + [.setState(id, .notRunning, .ended(cause))]
    return hasFailed ? actions + failRelaunch(at: now) : actions
  }

  /// A relaunch that is under way goes on, save in a reboot.
  mutating func stayGone(_ cause: TerminationCause) {
    guard let gone else { return }
    phase = .gone(cause == .reboot ? Gone(cause: cause) : Gone(cause: cause, relaunch: gone.relaunch))
  }

  /// The phone's memory is lost, and with it what waits and what was counted; the app, once it is back, is told how
  /// things stand.
  mutating func forgetEvents() -> [Policy.Action] {
    failedRelaunches = 0
    return refuseRequests(rules.cutOffError.value, nil) + dropQueue { _ in true }
  }
}
