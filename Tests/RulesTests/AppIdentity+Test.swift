import BleperaBluetooth

extension AppIdentity {
  /// An app with the properties that matter to the rules.
  init(
    name: String, hasBackgroundMode: Bool, isCentral: Bool = false, isRestorable: Bool = false,
    usesAccessorySetup: Bool = false, overrides: RuleOverrides = RuleOverrides()
  ) {
    self.init(
      bundleIdentifier: name, name: name,
      backgroundModes: (hasBackgroundMode ? [Self.peripheralBackgroundMode] : [])
        + (isCentral ? [Self.centralBackgroundMode] : []),
      restoreIdentifier: isRestorable ? name : nil, rules: overrides, usesAccessorySetup: usesAccessorySetup)
  }
}
