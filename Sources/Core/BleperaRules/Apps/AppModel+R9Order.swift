import BleperaBluetooth

/// R9: an app receives `willRestoreState`, then `didUpdateState`, then the queued events in order of arrival (Apple,
/// Core Bluetooth Background Processing for iOS Apps; `peripheralManager(_:willRestoreState:)`).
///
/// The state belongs to the managers: each is restored when the app creates it, and an event waits for its manager. The
/// limit is ours: a manager that is not created within the launch budget is forgotten.
///
/// For an app with nothing to restore, the shell sends `didUpdateState` first; there is no `restore` action.
extension AppModel {
  /// Launches a terminated app again, by the system or by the user.
  mutating func launchAgain(into mode: LaunchMode, isLocked: Bool, at now: Duration) -> [Policy.Action] {
    awaitManagers(at: now)
    let waiting = queue
    queue = []
    let state = launch(into: mode, isLocked: isLocked, at: now)
    queue = waiting
    return [.restore(id)] + state + deliverQueue(at: now)
  }

  private mutating func awaitManagers(at now: Duration) {
    uncreated = Set(managers.map(\.id))
    creationEnd = now + rules.launchBudget.value
  }

  /// Gives an app that was suspended before it created its managers the whole time again.
  mutating func continueCreation(at now: Duration) {
    if phase == .suspended { creationEnd = now + rules.launchBudget.value }
  }

  func awaitsManager(_ event: Waiting) -> Bool { uncreated.contains(event.manager) }

  /// When the app's time to create its managers is over; nil where all are created, or the app does not run.
  var creationDue: Duration? {
    guard !uncreated.isEmpty else { return nil }
    switch phase {
    case .inactive, .foreground, .background: return creationEnd
    case .suspended, .terminated: return nil
    }
  }

  /// The app has created the manager, and the manager has received its state.
  mutating func created(_ manager: ManagerID, at now: Duration) -> [Policy.Action] {
    uncreated.remove(manager) == nil ? [] : deliverQueue(at: now)
  }

  /// Forgets managers that the app has not created, with the events that wait for them.
  mutating func forget(_ forgotten: Set<ManagerID>) -> [Policy.Action] {
    let events = queue.filter { forgotten.contains($0.manager) }
    queue.removeAll { forgotten.contains($0.manager) }
    let removed = managers.map(\.id).filter(forgotten.contains)
    managers.removeAll { forgotten.contains($0.id) }
    uncreated.subtract(forgotten)
    return events.map { event in
      event.kind.isAnswered
        ? .refuse(id, event.id, rules.timeoutError.value, .r9) : .drop(id, event.id, .noManager)
    } + removed.map { .forgetManager(id, $0) } + suspendIfFinished()
  }

  /// Continues a process that has outlived the phone's. It stays suspended unless an event that wakes it has arrived
  /// meanwhile, or it publishes again, for which it has to run.
  mutating func resume(
    into mode: LaunchMode, isSuspended: Bool, isFrontmost: Bool, isLocked: Bool, at now: Duration
  ) -> [Policy.Action] {
    awaitManagers(at: now)
    if isFrontmost, !isLocked { return launchAgain(into: .foreground, isLocked: isLocked, at: now) }
    guard isSuspended, mode == .background, !queue.contains(where: wakes) else {
      let actions = launchAgain(into: mode, isLocked: isLocked, at: now)
      self.isFrontmost = isFrontmost
      return actions.map { action in
        // The system has launched nothing.
        guard case .setState(id, let state, .relaunched) = action else { return action }
        return .setState(id, state, .phoneRestarted)
      }
    }
    _ = launch(into: mode, isLocked: isLocked, at: now)
    self.isFrontmost = isFrontmost
    return [.restore(id)] + suspend(.phoneRestarted)
  }
}
