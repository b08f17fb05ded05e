package import BleperaBluetooth

/// R10: the system responds with a cached value, whatever the state of the app.
extension Policy {
  /// The error that a central receives instead of a cached value; nil where it receives the value. For a known app,
  /// only R4 causes an error, where the rule set disables the services of foreground-only apps outside the foreground.
  package func cachedValueError(_ id: AppID) -> ATTError? {
    // In place, because copies of apps cost.
    guard let index = apps.index(of: id) else { return shared.timeoutError.value }
    guard apps[index].rules.disablesCachedValues.value, !apps[index].hasBackgroundMode else { return nil }
    switch apps[index].phase {
    case .inactive, .foreground: return nil
    case .background, .suspended, .terminated: return apps[index].rules.suspendedError.value
    }
  }
}
