/// What the system knows of an app before it runs.
package struct AppDescription: Hashable, Sendable {
  package let name: String
  /// Whether `UIBackgroundModes` has `bluetooth-peripheral`.
  package let hasBackgroundMode: Bool
  package let overrides: RuleOverrides

  package init(name: String, hasBackgroundMode: Bool, overrides: RuleOverrides = RuleOverrides()) {
    self.name = name
    self.hasBackgroundMode = hasBackgroundMode
    self.overrides = overrides
  }
}
