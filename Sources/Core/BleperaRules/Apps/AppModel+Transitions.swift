import BleperaBluetooth

/// State transitions and their effects.
extension AppModel {
  /// Sets the initial state. Queued events are not delivered here, because a new app has none.
  mutating func launch(into mode: LaunchMode, isLocked: Bool, at now: Duration) -> [Policy.Action] {
    phase = .inactive(since: now)
    (backgroundTasks, isFinished, isIdle, lastEvent, reportsFinish) = ([:], false, false, now, false)
    isFrontmost = mode == .foreground
    switch mode {
    case .foreground:
      confirmRelaunch()
      return isLocked ? enterBackground(.launched, at: now) : enterForeground(.launched, at: now)
    case .leftForeground:
      confirmRelaunch()
      applyRequests()
      // A restored app may already advertise, so that its launch is over.
      if isAdvertising { return enterBackground(.launched, at: now) }
      startsAsForeground = true
      return [.setState(id, .inactive, .launched)]
    case .background:
      isRelaunchUnconfirmed = true
      phase = .background(since: now, until: now + rules.launchBudget.value, .wake)
      return [.setState(id, .background, .relaunched)]
    }
  }

  /// Moves the app to the foreground, and delivers queued events.
  mutating func enterForeground(_ reason: StateReason, at now: Duration) -> [Policy.Action] {
    guard phase != .foreground, termination == nil else { return [] }
    continueCreation(at: now)
    phase = .foreground
    foregroundEntry = now
    overruns = 0
    throttledUntil = nil
    startsAsForeground = false
    applyRequests()
    pendingRequests.removeAll(where: \.isRefused)
    confirmRelaunch()
    return [.setState(id, .foreground, reason)] + deliverQueue(at: now)
  }

  mutating func enterBackground(_ reason: StateReason, at now: Duration) -> [Policy.Action] {
    switch phase {
    case .inactive, .foreground:
      phase = .background(since: now, until: now + grace, .grace)
      return [.setState(id, .background, reason)]
    case .background, .suspended, .terminated: return []
    }
  }

  /// Suspends the app, and refuses pending requests, because the app can no longer respond.
  mutating func suspend(_ reason: StateReason) -> [Policy.Action] {
    guard phase != .suspended, termination == nil else { return [] }
    phase = .suspended
    backgroundTasks = [:]
    confirmRelaunch()
    let refusals =
      hasBackgroundMode
      ? refuseRequests(rules.timeoutError.value, reason == .overran ? .r6 : nil)
      : refuseRequests(rules.suspendedError.value, .r4)
    return refusals + [.setState(id, .suspended, reason)]
  }

  private var grace: Duration {
    runsInBackground ? rules.backgroundGrace.value : rules.foregroundOnlyGrace.value
  }
}
