/// What there is to show of the next relaunch of an app that is gone (R8).
package enum RelaunchStatus: Hashable, Sendable {
  /// Without the mode only the user launches it.
  case byUser
  /// For the next event.
  case ready
  /// For the next event after that time, as the last relaunch has failed.
  case backingOff(Duration)
  /// The phone has been rebooted (R15).
  case afterFirstUnlock
  case underWay
  /// Too many have failed in a row: only the user launches it.
  case givenUp
}
