/// What the system knows of an app before it runs.
package struct AppDescription: Hashable, Sendable {
  package let name: String
  /// Whether `UIBackgroundModes` has `bluetooth-peripheral`.
  package let hasBackgroundMode: Bool
  /// Whether its manager has a restoration identifier (R7).
  package let isRestorable: Bool
  /// Whether it uses AccessorySetupKit, for which iOS 26 relaunches more often (R15).
  package let usesAccessorySetup: Bool
  package let overrides: RuleOverrides

  package init(
    name: String, hasBackgroundMode: Bool, isRestorable: Bool = false, usesAccessorySetup: Bool = false,
    overrides: RuleOverrides = RuleOverrides()
  ) {
    self.name = name
    self.hasBackgroundMode = hasBackgroundMode
    self.isRestorable = isRestorable
    self.usesAccessorySetup = usesAccessorySetup
    self.overrides = overrides
  }
}
