/// Whether the phone sends anything at all, and whether it is locked.
package enum PhoneAir: String, Hashable, CaseIterable, Sendable {
  case open
  /// The screen is off.
  case locked
  /// The radio is not on (R14).
  case off
  /// The phone has been rebooted, and the screen has not been unlocked since (R15).
  case beforeFirstUnlock
}
