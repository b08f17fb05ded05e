package import BleperaBluetooth
/// What there is to show of an app.
package struct AppStatus: Hashable, Sendable {
  package let app: AppID
  package let identity: AppIdentity
  package let state: AppState
  /// Until it is suspended; nil where no limit runs.
  package let budgetLeft: Duration?
  /// Until it may be woken again (R6); nil where it may be.
  package let throttledFor: Duration?
  /// Events that wait for it.
  package let queueLength: Int
  /// Events dropped since its first launch because too many waited.
  package let dropped: Int
  /// Requests that it has been given and has not answered.
  package let unanswered: Int
  /// How often since its first launch it was cut off (R6).
  package let overstays: Int
  /// What it asks to have advertised; nil where it does not advertise.
  package let asked: AdvertisementData?
  /// What counts of it: other than `asked` while R12 withholds a change.
  package let granted: AdvertisementData?
  /// The rule that keeps what it asks for off the air; nil where none does.
  package let advertisingWithheldBy: RuleID?
  /// What ended it, where it is gone and its state is preserved (R7); nil where it runs or is suspended.
  package let ended: TerminationCause?
  /// How it may come back; nil where it is not gone.
  package let relaunch: RelaunchStatus?
  /// How many relaunches in a row have led to nothing (R8).
  package let failedRelaunches: Int
}
