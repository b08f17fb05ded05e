import BleperaBluetooth
/// R9: `willRestoreState`, then `didUpdateState`, then what has waited, in order of arrival (Apple, Core Bluetooth
/// Background Processing for iOS Apps; `peripheralManager(_:willRestoreState:)`).
///
/// That an app with nothing to restore hears `didUpdateState` first is the shell's to do: no `restore` tells it to.
extension App {
  /// A launch of a gone app, by whomever.
  mutating func comeBack(into mode: LaunchMode, isLocked: Bool, at now: Duration) -> [Policy.Action] {
    let waiting = queue
    queue = []
    let state = launch(into: mode, isLocked: isLocked, at: now)
    queue = waiting
    return state + [.restore(id)] + deliverQueue(at: now)
  }
}
