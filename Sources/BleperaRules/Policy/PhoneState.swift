/// What of the phone counts for what becomes due to its apps.
struct PhoneState {
  /// Nil while the radio is not on.
  let poweredOnSince: Duration?
  /// Since a reboot.
  let isBeforeFirstUnlock: Bool

  var mayRelaunch: Bool { poweredOnSince != nil && !isBeforeFirstUnlock }
}
