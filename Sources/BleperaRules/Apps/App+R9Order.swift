import BleperaBluetooth
/// R9: an app receives `willRestoreState`, then `didUpdateState`, then the queued events in order of arrival (Apple,
/// Core Bluetooth Background Processing for iOS Apps; `peripheralManager(_:willRestoreState:)`).
///
/// For an app with nothing to restore, the shell sends `didUpdateState` first; there is no `restore` action.
extension App {
  /// Launches a terminated app again, by the system or by the user.
  mutating func launchAgain(into mode: LaunchMode, isLocked: Bool, at now: Duration) -> [Policy.Action] {
    let waiting = queue
    queue = []
    let state = launch(into: mode, isLocked: isLocked, at: now)
    queue = waiting
    return [.restore(id)] + state + deliverQueue(at: now)
  }

  /// Continues a process that has outlived the phone's. It stays suspended unless an event that wakes it has arrived
  /// meanwhile, or it publishes again, for which it has to run.
  mutating func resume(
    into mode: LaunchMode, isSuspended: Bool, isFrontmost: Bool, isLocked: Bool, at now: Duration
  ) -> [Policy.Action] {
    if isFrontmost, !isLocked { return launchAgain(into: .foreground, isLocked: isLocked, at: now) }
    guard isSuspended, mode == .background, !queue.contains(where: \.kind.wakes) else {
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
