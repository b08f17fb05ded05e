/// How a terminated app may be launched again (R8).
package enum RelaunchStatus: Hashable, Sendable {
  /// Only the user launches an app without `bluetooth-peripheral`.
  case byUser
  /// The next event relaunches the app.
  case ready
  /// The next event after this delay relaunches the app, because the last relaunch failed.
  case backingOff(Duration)
  /// The phone was rebooted and has not been unlocked since (R15).
  case afterFirstUnlock
  case underWay
  /// Too many consecutive relaunches failed: only the user launches the app.
  case givenUp
}
