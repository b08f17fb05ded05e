package import BleperaBluetooth
extension Policy {
  /// What happens on the system. An event for an app that is not there changes nothing, and refuses or drops what it
  /// carries.
  package enum Event: Hashable, Sendable {
    /// Of an app that is gone: it is back.
    case launched(AppID, AppIdentity, into: LaunchMode)
    /// Its process has ended, or the user quits one that is gone.
    case ended(AppID, TerminationCause)
    /// An app that was gone when the system ended, with what it advertised; in order of their starts.
    case preserved(
      AppID, AppIdentity, asked: AdvertisementData?, granted: AdvertisementData?, cause: TerminationCause)
    /// The process that was to be relaunched could not be started, or has ended before it said anything.
    case relaunchFailed(AppID)
    case toForeground(AppID)
    case toBackground(AppID)
    /// At once, without the grace.
    case suspend(AppID)
    /// The screen is off, which puts every app into the background.
    case locked
    /// The apps that were in front are again.
    case unlocked
    case radio(RadioPower)
    /// The user switches Bluetooth off; `radio` tells that it is.
    case bluetoothSwitched(BluetoothSwitch)
    /// The phone, not this machine: every app ends, and until the next `unlocked` nothing is on the air.
    case rebooted
    /// Passed over while the app advertises: `CBError.alreadyAdvertising` is the shell's to give.
    case startAdvertising(AppID, AdvertisementData)
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
