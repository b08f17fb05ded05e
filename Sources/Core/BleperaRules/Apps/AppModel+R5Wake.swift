import BleperaBluetooth

extension NoticeKind {
  /// R5: reads, writes, subscriptions and unsubscriptions wake an app, and so do all events of a central manager except
  /// `peripheralIsReady(toSendWriteWithoutResponse:)`; other callbacks are queued until the next wake.
  var wakes: Bool {
    switch self {
    case .subscribe, .unsubscribe, .discovery, .connection, .disconnection, .notification, .response, .change,
      .connectionEvent, .power:
      true
    case .callback: false
    }
  }

  /// Whether the event is one of a central manager, for which the app needs `bluetooth-central` in the background.
  var isOfCentralManager: Bool {
    switch self {
    case .subscribe, .unsubscribe, .callback: false
    case .discovery, .connection, .disconnection, .notification, .response, .change, .connectionEvent, .power: true
    }
  }
}

/// R5: a suspended app with the background mode of an event's role is woken, runs for its budget, and is suspended.
extension AppModel {
  /// Whether the event wakes the app when it is suspended.
  func wakes(_ event: Waiting) -> Bool {
    event.kind.wakes && (event.kind.isOfCentralManager ? identity.hasCentralBackgroundMode : hasBackgroundMode)
  }

  /// Delivers queued events before the event that wakes the app.
  mutating func wake(_ reason: StateReason, at now: Duration) -> [Policy.Action] {
    continueCreation(at: now)
    phase = .background(since: now, until: now + rules.wakeBudget.value, .wake)
    throttledUntil = nil
    return [.setState(id, .background, reason)] + deliverQueue(at: now)
  }

  /// Grants a whole wake budget again for each event that would wake the app.
  mutating func extendBudget(at now: Duration) {
    guard runsInBackground, case .background(let since, let until, let cause) = phase else { return }
    phase = .background(since: since, until: max(until, now + rules.wakeBudget.value), cause)
  }

  /// When the app's time is over: after the wake time for an app that was woken and is idle, otherwise after the
  /// budget. A background task extends the time from its beginning in the background; with the mode, a pending request
  /// keeps the app awake until the request's own budget expires, and then R6 applies.
  var budgetEnd: Duration? {
    guard case .background(let since, let until, let cause) = phase else { return nil }
    if let idleEnd, cause == .wake { return idleEnd }
    let end = backgroundTasks.values.min().map { max(until, max(since, $0) + rules.backgroundTask.value) } ?? until
    guard hasBackgroundMode, let oldest = pendingRequests.first else { return end }
    return max(since, oldest.delivered) + rules.wakeBudget.value
  }

  /// When an app whose queues are idle is suspended; nil where something keeps it running.
  private var idleEnd: Duration? {
    guard isIdle, runsInBackground, pendingRequests.isEmpty, backgroundTasks.isEmpty, !queue.contains(where: wakes)
    else { return nil }
    return lastEvent + rules.wakeTime.value
  }

  mutating func endBudget(at now: Duration) -> [Policy.Action] {
    guard pendingRequests.isEmpty || !hasBackgroundMode else { return suspendForOverrun(at: now) }
    // iOS terminates an app that has not ended its background tasks (0x8badf00d).
    guard backgroundTasks.isEmpty else { return [.terminate(id, .exceededLimits)] }
    guard runsInBackground else { return endForegroundOnlyGrace() }
    guard case .background(_, _, let cause) = phase else { return [] }
    guard cause == .grace || isFinished || !reportsFinish else { return suspendForOverrun(at: now) }
    overruns = 0
    if cause == .wake, let idleEnd, idleEnd <= now { return suspend(.finished) }
    return suspend(cause == .wake ? .wakeBudgetExpired : .gracePeriodExpired)
  }

  // MARK: What the app reports

  /// Suspends the app at once where nothing else keeps it running.
  mutating func finish() -> [Policy.Action] {
    reportsFinish = true
    isFinished = true
    return suspendIfFinished()
  }

  /// Notes that the app is idle; the next deadline suspends an app whose wake time is over.
  mutating func becomeIdle() -> [Policy.Action] {
    isIdle = true
    return []
  }

  mutating func begin(_ task: Int, at now: Duration) -> [Policy.Action] {
    if backgroundTasks[task] == nil { backgroundTasks[task] = now }
    return []
  }

  /// Ends a background task; the next deadline suspends an app whose own time is over.
  mutating func end(_ task: Int) -> [Policy.Action] {
    backgroundTasks[task] = nil
    return suspendIfFinished()
  }

  mutating func suspendIfFinished() -> [Policy.Action] {
    guard runsInBackground, case .background = phase, isFinished, pendingRequests.isEmpty, backgroundTasks.isEmpty,
      !queue.contains(where: wakes)
    else {
      return []
    }
    overruns = 0
    return suspend(.finished)
  }
}
