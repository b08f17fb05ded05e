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
}
