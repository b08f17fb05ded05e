package import BleperaBluetooth

/// R10: the system answers for a cached value, whatever the app does.
extension Policy {
  /// What a central gets in place of a cached value; nil where it gets the value. Only R4 stands against it, where the
  /// rule set says that the services of a foreground-only app that is suspended or gone are disabled.
  package func cachedValueError(_ id: AppID) -> ATTError? {
    guard let app = app(id) else { return rules.cutOffError.value }
    guard app.phase == .suspended || app.gone != nil, !app.hasBackgroundMode, app.rules.disablesCachedValues.value
    else { return nil }
    return app.rules.suspendedError.value
  }
}
