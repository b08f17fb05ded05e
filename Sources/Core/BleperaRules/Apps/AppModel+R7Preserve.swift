import BleperaBluetooth

/// R7: a terminated app keeps the services and the advertisement of a manager that has a restoration identifier, where
/// R15 permits (Apple, Core Bluetooth Background Processing for iOS Apps, "State Preservation and Restoration").
///
/// The shell keeps the services and the subscribers; `Advertiser.isInBackground` treats the preserved advertisement as
/// one in the background.
extension AppModel {
  /// The state of a terminated app that is preserved.
  struct Termination: Hashable {
    var cause: TerminationCause
    /// Whether the app was advertising, or centrals were connected, so that events relaunch the app (R8).
    var isRelaunchable: Bool
    var relaunch = Relaunch.ready(from: .zero)
  }

  /// Whether a restored central manager may have something to wait for.
  var waitsAsCentral: Bool {
    identity.hasCentralBackgroundMode
      && managers.contains { $0.id.role == .central && $0.id.restoreIdentifier != nil }
  }

  var termination: Termination? {
    guard case .terminated(let termination) = phase else { return nil }
    return termination
  }

  /// A preserved app whose manager advertised is relaunched by events.
  mutating func makeRelaunchable(if isAdvertising: Bool) {
    guard isAdvertising, var termination else { return }
    termination.isRelaunchable = true
    phase = .terminated(termination)
  }

  /// Whether the app has a process, or a process is being launched.
  var hasProcess: Bool {
    switch termination?.relaunch {
    case nil, .inProgress: true
    case .ready, .givenUp: false
    }
  }

  /// Whether the app's state is preserved after this trigger.
  func isPreserved(after trigger: RelaunchTrigger) -> Bool {
    guard managers.contains(where: { $0.id.restoreIdentifier != nil }) else { return false }
    switch rules.relaunch[trigger]?.value {
    case .resumed, .relaunched, .relaunchedAfterFirstUnlock: return true
    case .relaunchedWithAccessorySetup: return identity.usesAccessorySetup
    case .notRelaunched, nil: return false
    }
  }

  /// The events that wait for the managers to be restored, in the order of their arrival.
  var keptNotices: [(event: EventID, kind: NoticeKind)] {
    queue.compactMap { waiting in
      guard case .notice(let kind) = waiting.kind, waiting.kind.isKept, waiting.manager.restoreIdentifier != nil,
        termination != nil || awaitsManager(waiting)
      else { return nil }
      return (waiting.id, kind)
    }
  }

  /// Records the termination. Pending requests are refused and never delivered again; events that relaunch the app, or
  /// that changed its services and peripherals, are kept for each preserved manager; other callbacks are dropped,
  /// because a relaunched app receives the current state.
  mutating func preserve(_ cause: TerminationCause, hasCentrals: Bool, at now: Duration) -> [Policy.Action] {
    let hasFailed = isRelaunchUnconfirmed && (cause == .crash || cause == .memoryPressure)
    managers.removeAll { $0.id.restoreIdentifier == nil }
    let preserved = managers.map(\.id)
    let ending =
      refuseRequests(rules.timeoutError.value, nil)
      + dropQueue(.r7) { !$0.kind.isKept || !preserved.contains($0.manager) }
    uncreated = []
    phase = .terminated(Termination(cause: cause, isRelaunchable: isAdvertising || hasCentrals))
    startsAsForeground = false
    isRelaunchUnconfirmed = false
    overruns = 0
    throttledUntil = nil
    let actions = ending + [.setState(id, .notRunning, .terminated(cause))]
    return hasFailed ? actions + failRelaunch(at: now) : actions
  }

  /// A relaunch in progress continues, except after a reboot.
  mutating func updateTermination(_ cause: TerminationCause) {
    guard let termination else { return }
    let relaunch = cause == .reboot ? .ready(from: .zero) : termination.relaunch
    phase = .terminated(Termination(cause: cause, isRelaunchable: termination.isRelaunchable, relaunch: relaunch))
  }

  /// Drops queued events, refuses pending requests and resets the failure count, as a reboot does. A relaunched app
  /// receives the current state.
  mutating func forgetEvents() -> [Policy.Action] {
    failedRelaunches = 0
    return refuseRequests(rules.timeoutError.value, nil) + dropQueue(.r15) { _ in true }
  }
}
