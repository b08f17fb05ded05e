extension Policy {
  /// What happens on the system. An event for an app that is not there changes nothing, and refuses or drops what it
  /// carries.
  package enum Event: Hashable, Sendable {
    case launched(AppID, AppDescription, into: LaunchMode)
    case ended(AppID, TerminationCause)
    case toForeground(AppID)
    case toBackground(AppID)
    /// At once, without the grace.
    case suspend(AppID)
    /// The screen is off, which puts every app into the background.
    case locked
    /// The apps that were in front are again.
    case unlocked
    case radio(RadioPower)
    /// Passed over while the app advertises: `CBError.alreadyAdvertising` is the shell's to give.
    case startAdvertising(AppID, AdvertisedFields)
    case stopAdvertising(AppID)
    /// For a dynamic value, of a running radio's central.
    case request(AppID, EventID, RequestKind)
    case notice(AppID, EventID, NoticeKind)
    /// The app has answered a request that it was given.
    case answered(AppID, EventID)
    /// The time of the last `schedule` has come.
    case deadline
  }
}
