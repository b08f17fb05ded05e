import BleperaBluetooth
import BleperaRules

/// The checks of terminated apps and their relaunches.
extension InvariantChecker.App {
  struct Relaunch {
    var inProgressSince: Duration?
    var notBefore = Duration.zero
    /// The number of consecutive failures.
    var failures = 0
    var isRelaunchUnconfirmed = false
    var isGivenUp = false

    mutating func succeed() {
      isRelaunchUnconfirmed = false
      failures = 0
    }

    /// The delays are 1, 2, 4 and 8 s.
    mutating func fail(at now: Duration) {
      failures += 1
      inProgressSince = nil
      isRelaunchUnconfirmed = false
      isGivenUp = failures >= 5
      if !isGivenUp { notBefore = now + .seconds([1, 2, 4, 8][failures - 1]) }
    }
  }
}

extension InvariantChecker {
  /// Relaunches that exceed the launch budget fail before the event is handled.
  mutating func failLateRelaunches(at now: Duration) {
    for index in apps.values.indices {
      guard let since = apps.values[index].relaunch.inProgressSince, since + .seconds(10) <= now else { continue }
      apps.values[index].relaunch.fail(at: now)
    }
  }

  /// Records the effects of an event that precede its actions.
  mutating func prepare(for event: Policy.Event, at now: Duration) {
    switch event {
    case .preserved(let app, let identity, _, _):
      guard apps[app] == nil else { return }
      apps[app] = App(identity: identity, state: .notRunning, startsAsForeground: false)
      apps[app]?.isTerminated = true
    case .managerCreated(let app, _, let requested?, let effective):
      apps[app]?.requested = requested
      apps[app]?.allowed = Set(effective?.serviceUUIDs ?? [])
    case .terminated(let app, let cause):
      if cause == .reboot, apps[app] != nil { isBeforeFirstUnlock = true }
      guard let seen = apps[app], seen.isTerminated, cause == .forceQuit || cause == .reboot else { return }
      if !version.keeps(seen.identity, after: cause) { apps[app]?.mustBeForgotten = true }
    case .rebooted:
      isBeforeFirstUnlock = true
      for app in apps.keys where apps[app]?.isTerminated == true {
        if !version.keeps(apps[app]?.identity, after: .reboot) { apps[app]?.mustBeForgotten = true }
      }
    case .bluetoothSwitched(let means):
      for (app, seen) in apps where seen.isTerminated && !version.keeps(seen.identity, after: means) {
        apps[app]?.mustBeForgotten = true
      }
    case .unlocked: isBeforeFirstUnlock = false
    case .relaunchFailed(let app):
      if apps[app]?.relaunch.inProgressSince != nil { apps[app]?.relaunch.fail(at: now) }
    default: break
    }
  }

  /// A reboot ends relaunches in progress and resets their count, after the actions.
  mutating func resetRelaunches(_ event: Policy.Event) {
    switch event {
    case .rebooted:
      for index in apps.values.indices { apps.values[index].relaunch = App.Relaunch() }
    case .terminated(let app, .reboot) where apps[app]?.isTerminated == true: apps[app]?.relaunch = App.Relaunch()
    default: break
    }
  }

  mutating func launch(_ app: AppID, _ identity: AppIdentity, _ state: AppState, _ mode: LaunchMode) {
    let old = apps[app]
    var seen = old ?? App(identity: identity, state: state, startsAsForeground: false)
    seen.identity = identity
    seen.state = state
    seen.isTerminated = false
    seen.awaitsRestore = old != nil && old?.isRestored != true
    seen.isRestored = false
    seen.startsAsForeground = mode == .leftForeground && seen.requested == nil
    seen.relaunch.inProgressSince = nil
    seen.relaunch.isGivenUp = false
    seen.relaunch.notBefore = .zero
    seen.relaunch.isRelaunchUnconfirmed = mode == .background
    if mode != .background { seen.relaunch.succeed() }
    if state == .foreground || mode == .leftForeground { seen.allowed = Set(seen.requested?.serviceUUIDs ?? []) }
    apps[app] = seen
  }

  var mayRelaunch: Bool { power == .on && !isBeforeFirstUnlock }

  mutating func end(_ app: AppID, _ cause: TerminationCause, at now: Duration) {
    guard let seen = apps[app] else { return }
    apps[app]?.isTerminated = true
    apps[app]?.startsAsForeground = false
    if !version.keeps(seen.identity, after: cause) {
      apps[app]?.mustBeForgotten = true
    } else if seen.relaunch.isRelaunchUnconfirmed, cause == .crash || cause == .memoryPressure {
      apps[app]?.relaunch.fail(at: now)
    }
    apps[app]?.relaunch.isRelaunchUnconfirmed = false
  }

  mutating func observeRelaunch(_ app: AppID, at now: Duration) {
    guard let seen = apps[app], seen.isTerminated else {
      return check(false, "an app is relaunched that is not terminated (R8)")
    }
    check(mayRelaunch || couldRelaunch, "a relaunch while the radio is off or before the first unlock")
    check(
      seen.relaunch.inProgressSince == nil && !seen.relaunch.isGivenUp,
      "a second relaunch, or one of an app that was given up")
    check(seen.relaunch.notBefore <= now, "a relaunch too early")
    check(
      seen.queue.contains { mayRelaunch(seen.identity, for: $0) }, "a relaunch without a queued event of its mode (R4)")
    apps[app]?.relaunch.inProgressSince = now
  }

  private func mayRelaunch(_ identity: AppIdentity, for event: EventID) -> Bool {
    if changes.contains(event) { return false }
    if centralEvents.contains(event) { return identity.hasCentralBackgroundMode }
    return identity.hasBackgroundMode && !callbacks.contains(event)
  }

  /// No app stays that must be forgotten, waits that could be relaunched, or runs without `restore`.
  mutating func checkRelaunches(at now: Duration) {
    for seen in apps.values {
      check(!seen.mustBeForgotten, "an app is not forgotten (R15)")
      check(!seen.awaitsRestore, "an app is not restored (R9)")
      guard seen.isTerminated, mayRelaunch, !seen.relaunch.isGivenUp, seen.relaunch.notBefore <= now else { continue }
      guard seen.queue.contains(where: { mayRelaunch(seen.identity, for: $0) }) else { continue }
      check(seen.relaunch.inProgressSince != nil, "an event does not relaunch its app (R8)")
    }
  }
}

extension IOSVersion {
  /// R15, written independently of the rule set.
  func keeps(_ identity: AppIdentity?, after cause: TerminationCause) -> Bool {
    guard let identity, identity.isRestorable else { return false }
    switch cause {
    case .crash, .memoryPressure: return true
    case .reboot, .shutDown: return self != .ios10
    case .exceededLimits: return false
    case .forceQuit: return self >= .ios26 && identity.usesAccessorySetup
    }
  }

  func keeps(_ identity: AppIdentity, after means: BluetoothSwitch) -> Bool {
    guard identity.isRestorable, means == .controlCenter else { return false }
    return self >= .ios11 && self < .ios26 || identity.usesAccessorySetup && self >= .ios26
  }
}
