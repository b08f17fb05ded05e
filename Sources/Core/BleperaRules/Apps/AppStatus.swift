package import BleperaBluetooth

package struct AppStatus: Hashable, Sendable {
  package let app: AppID
  package let identity: AppIdentity
  package let state: AppState
  /// The time until the app is suspended; nil where there is no limit.
  package let budgetLeft: Duration?
  /// The time until the app may be woken again (R6); nil where it is not throttled.
  package let throttledFor: Duration?
  /// The number of queued events.
  package let queueLength: Int
  /// The number of events dropped since the first launch because the queue was full.
  package let dropped: Int
  /// The number of requests that the app has received and not responded to.
  package let pendingRequests: Int
  /// How often the app has exceeded its time since the first launch (R6).
  package let overruns: Int
  /// The requested advertisement; nil where the app does not advertise.
  package let requested: AdvertisementData?
  /// The advertisement in effect; differs from `requested` while R12 withholds the request.
  package let effective: AdvertisementData?
  /// The rule that keeps the requested advertisement off the air; nil where none does.
  package let advertisingWithheldBy: RuleID?
  /// Why the app was terminated, where its state is preserved (R7); nil while it runs or is suspended.
  package let terminationCause: TerminationCause?
  /// How a terminated app may be launched again; nil where the app is not terminated.
  package let relaunch: RelaunchStatus?
  /// The number of consecutive failed relaunches (R8).
  package let failedRelaunches: Int
}

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
  case inProgress
  /// Too many consecutive relaunches failed: only the user launches the app.
  case givenUp
}
