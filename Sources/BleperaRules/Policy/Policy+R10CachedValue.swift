package import BleperaBluetooth

/// R10: the system responds with a cached value, whatever the state of the app.
extension Policy {
  /// The error that a central receives instead of a cached value; nil where it receives the value. For a known app,
  /// only R4 causes an error, where the rule set disables the services of foreground-only apps outside the foreground.
  package func cachedValueError(_ id: AppID) -> ATTError? {
    guard let app = app(id) else { return rules.timeoutError.value }
    guard !app.hasBackgroundMode, app.rules.disablesCachedValues.value else { return nil }
    switch app.phase {
    case .inactive, .foreground: return nil
    case .background, .suspended, .gone: return app.rules.suspendedError.value
    }
  }
}
