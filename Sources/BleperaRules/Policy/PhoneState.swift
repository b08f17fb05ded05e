/// The state of the phone that determines the deadlines of its apps.
struct PhoneState {
  /// Nil while the radio is not on.
  let poweredOnSince: Duration?
  /// Whether the phone was rebooted and has not been unlocked since.
  let isBeforeFirstUnlock: Bool
  /// How long any app may take to respond to a request; nil for no limit.
  let requestTimeLimit: Duration?

  var mayRelaunch: Bool { poweredOnSince != nil && !isBeforeFirstUnlock }
}
