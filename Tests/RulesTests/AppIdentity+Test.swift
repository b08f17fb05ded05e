import BleperaBluetooth

extension AppIdentity {
  /// An app as far as the rules care for it.
  init(
    name: String, hasBackgroundMode: Bool, isRestorable: Bool = false, usesAccessorySetup: Bool = false,
    overrides: RuleOverrides = RuleOverrides()
  ) {
    self.init(
      bundleIdentifier: name, name: name, backgroundModes: hasBackgroundMode ? [Self.peripheralBackgroundMode] : [],
      restoreIdentifier: isRestorable ? name : nil, rules: overrides, usesAccessorySetup: usesAccessorySetup)
  }
}
