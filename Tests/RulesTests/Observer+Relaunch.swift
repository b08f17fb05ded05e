import BleperaBluetooth
import BleperaRules

/// What may become of apps that are gone.
extension Observer.Seen {
  struct Relaunch {
    var inProgressSince: Duration?
    var notBefore = Duration.zero
    /// In a row.
    var failures = 0
    var isRelaunchUnconfirmed = false
    var isGivenUp = false

    mutating func pass() {
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

extension Observer {
  /// Relaunches that have had their time fail before anything else is heard.
  mutating func passTime(at now: Duration) {
    for index in apps.values.indices {
      guard let since = apps.values[index].relaunch.inProgressSince, since + .seconds(10) <= now else { continue }
      apps.values[index].relaunch.fail(at: now)
    }
  }

  /// What an event brings about before anything is told of it.
  mutating func prepare(for event: Policy.Event, at now: Duration) {
    switch event {
    case .preserved(let app, let identity, let requested, let effective, _, _):
      guard apps[app] == nil else { return }
      apps[app] = Seen(identity: identity, state: .notRunning, requested: requested, startsAsForeground: false)
      apps[app]?.allowed = Set(effective?.serviceUUIDs ?? [])
      apps[app]?.isGone = true
    case .terminated(let app, let cause):
      if cause == .reboot, apps[app] != nil { isBeforeFirstUnlock = true }
      guard let seen = apps[app], seen.isGone, cause == .forceQuit || cause == .reboot else { return }
      if !version.keeps(seen.identity, after: cause) { apps[app]?.isToBeForgotten = true }
    case .rebooted:
      isBeforeFirstUnlock = true
      for app in apps.keys where apps[app]?.isGone == true {
        if !version.keeps(apps[app]?.identity, after: .reboot) { apps[app]?.isToBeForgotten = true }
      }
    case .bluetoothSwitched(let means):
      for (app, seen) in apps where seen.isGone && !version.keeps(seen.identity, after: means) {
        apps[app]?.isToBeForgotten = true
      }
    case .unlocked: isBeforeFirstUnlock = false
    case .relaunchFailed(let app):
      if apps[app]?.relaunch.inProgressSince != nil { apps[app]?.relaunch.fail(at: now) }
    default: break
    }
  }

  /// After all that was told of the time before: a reboot ends relaunches and their count.
  mutating func settle(_ event: Policy.Event) {
    switch event {
    case .rebooted:
      for index in apps.values.indices { apps.values[index].relaunch = Seen.Relaunch() }
    case .terminated(let app, .reboot) where apps[app]?.isGone == true: apps[app]?.relaunch = Seen.Relaunch()
    default: break
    }
  }

  mutating func launch(_ app: AppID, _ identity: AppIdentity, _ state: AppState, _ mode: LaunchMode) {
    let old = apps[app]
    var seen = old ?? Seen(identity: identity, state: state, startsAsForeground: false)
    seen.identity = identity
    seen.state = state
    seen.isGone = false
    seen.awaitsRestore = old != nil && old?.isRestored != true
    seen.isRestored = false
    seen.startsAsForeground = mode == .leftForeground && seen.requested == nil
    seen.relaunch.inProgressSince = nil
    seen.relaunch.isGivenUp = false
    seen.relaunch.notBefore = .zero
    seen.relaunch.isRelaunchUnconfirmed = mode == .background
    if mode != .background { seen.relaunch.pass() }
    if state == .foreground || mode == .leftForeground { seen.allowed = Set(seen.requested?.serviceUUIDs ?? []) }
    apps[app] = seen
  }

  var mayRelaunch: Bool { power == .on && !isBeforeFirstUnlock }

  mutating func end(_ app: AppID, _ cause: TerminationCause, at now: Duration) {
    guard let seen = apps[app] else { return }
    apps[app]?.isGone = true
    apps[app]?.startsAsForeground = false
    if !version.keeps(seen.identity, after: cause) {
      apps[app]?.isToBeForgotten = true
    } else if seen.relaunch.isRelaunchUnconfirmed, cause == .crash || cause == .memoryPressure {
      apps[app]?.relaunch.fail(at: now)
    }
    apps[app]?.relaunch.isRelaunchUnconfirmed = false
  }

  mutating func observeRelaunch(_ app: AppID, at now: Duration) {
    guard let seen = apps[app], seen.isGone else { return check(false, "a relaunch of what is not gone (R8)") }
    check(seen.identity.hasBackgroundMode, "a relaunch without the mode (R4)")
    check(mayRelaunch || couldRelaunch, "a relaunch that nothing can have caused")
    check(seen.relaunch.inProgressSince == nil && !seen.relaunch.isGivenUp, "a relaunch too many")
    check(seen.relaunch.notBefore <= now, "a relaunch too early")
    check(seen.queue.contains { !callbacks.contains($0) }, "a relaunch for nothing")
    apps[app]?.relaunch.inProgressSince = now
  }

  /// Nobody stays who is to leave, waits who could be relaunched, or runs without having been restored.
  mutating func checkRelaunches(at now: Duration) {
    for seen in apps.values {
      check(!seen.isToBeForgotten, "an app that stays (R15)")
      check(!seen.awaitsRestore, "an app that is not restored (R9)")
      guard seen.isGone, seen.identity.hasBackgroundMode, mayRelaunch else { continue }
      guard !seen.relaunch.isGivenUp, seen.relaunch.notBefore <= now, !seen.queue.isEmpty else { continue }
      check(seen.relaunch.inProgressSince != nil, "an event that relaunches nobody (R8)")
    }
  }
}

extension IOSVersion {
  /// R15 in other words.
  func keeps(_ identity: AppIdentity?, after cause: TerminationCause) -> Bool {
    guard let identity, identity.restoreIdentifier != nil else { return false }
    switch cause {
    case .crash, .memoryPressure: return true
    case .reboot, .shutDown: return self != .ios10
    case .exceededLimits: return false
    case .forceQuit: return self >= .ios26 && identity.usesAccessorySetup
    }
  }

  func keeps(_ identity: AppIdentity, after means: BluetoothSwitch) -> Bool {
    guard identity.restoreIdentifier != nil, means == .controlCenter else { return false }
    return self >= .ios11 && self < .ios26 || identity.usesAccessorySetup && self >= .ios26
  }
}
