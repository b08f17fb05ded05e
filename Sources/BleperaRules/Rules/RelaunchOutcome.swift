/// What the system does with an app that has state preserved and an event (R15).
package enum RelaunchOutcome: String, Hashable, Sendable {
  case resumed
  case relaunched
  case relaunchedAfterFirstUnlock
  /// Only an app that uses AccessorySetupKit.
  case relaunchedWithAccessorySetup
  case notRelaunched
}
