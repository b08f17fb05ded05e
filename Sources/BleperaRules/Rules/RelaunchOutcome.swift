/// What the system does for a Bluetooth event of an app that opts in to state restoration (R15).
package enum RelaunchOutcome: String, Hashable, Sendable {
  case resumed
  case relaunched
  case relaunchedAfterFirstUnlock
  /// Relaunched only if the app uses AccessorySetupKit.
  case relaunchedWithAccessorySetup
  case notRelaunched
}
