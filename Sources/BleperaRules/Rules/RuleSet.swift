package import BleperaBluetooth

/// The values of the rules in one version of iOS, each with its source.
package struct RuleSet: Hashable, Sendable {
  package let version: IOSVersion

  // R1 foreground

  /// Bytes of the advertisement that apps share, AD headers counted.
  package let foregroundBudget: Sourced<Int>
  /// Bytes of the scan response that a local name may take, AD header counted.
  package let scanResponseNameBudget: Sourced<Int>
  package let overflowOrder: Sourced<OverflowOrder>
  /// Beside a service UUID or a name in the advertisement.
  package let foregroundOverflowPlacement: Sourced<OverflowPlacement>
  /// In dBm; nil where the phone sends none. It is sent only where the apps leave room for it.
  package let txPowerLevel: Sourced<Int?>

  // R2 background

  package let backgroundOverflowPlacement: Sourced<OverflowPlacement>

  // R3 frequency

  package internal(set) var foregroundInterval: Sourced<AdvertisingInterval>
  package internal(set) var backgroundInterval: Sourced<AdvertisingInterval>

  // R4 foreground-only

  /// From entering the background to being suspended, without the mode.
  package let foregroundOnlyGrace: Sourced<Duration>
  /// What a central gets that asks a suspended foreground-only app.
  package internal(set) var suspendedError: Sourced<ATTError>
  /// Whether cached values of a suspended foreground-only app are refused too.
  package internal(set) var disablesCachedValues: Sourced<Bool>
  /// How many subscriptions and ends of subscriptions may wait for one app; the oldest is dropped for one more. Other
  /// callbacks are not counted.
  package let eventQueueLimit: Sourced<Int>

  // R5 wake

  /// From entering the background to being suspended, with the mode.
  package let backgroundGrace: Sourced<Duration>
  /// How long an app runs in the background after each event that may wake it.
  package let wakeBudget: Sourced<Duration>
  /// How long an app that is launched into the background may take until it is one that has left the foreground.
  package let launchBudget: Sourced<Duration>

  // R6 limits

  /// What a central gets whose request is cut off.
  package let cutOffError: Sourced<ATTError>
  /// How long an app that has overstayed is not woken.
  package let throttle: Sourced<Duration>
  /// The overstay in a row that ends the app.
  package let overstayLimit: Sourced<Int>

  // R12 no new advertisement

  package let mayStartInBackground: Sourced<Bool>

  // R13 back-pressure

  /// Bytes that may wait on their way to the radio before `updateValue` returns false.
  package let transmitQueue: Sourced<Int>

  // R15 relaunch

  package let relaunch: [RelaunchOccasion: Sourced<RelaunchOutcome>]

  // R16 scan

  /// How much of the time an app in the foreground listens.
  package let foregroundScan: Sourced<ScanPace>
  /// The same where all apps that scan are in the background.
  package let backgroundScan: Sourced<ScanPace>
  /// Whether scan responses are asked for in the background too.
  package let backgroundScanIsActive: Sourced<Bool>
  /// Whether nobody looks at the overflow area while the central's screen is off.
  package let overflowNeedsScreen: Sourced<Bool>

  // No rule of iOS

  /// How long after a relaunch that has led to nothing the next one may be; twice as long after each further one.
  package let relaunchBackOff: Sourced<Duration>
  /// The relaunch without result in a row after which only the user launches the app.
  package let relaunchLimit: Sourced<Int>
  /// How long any app may take over a request.
  package let requestLimit: Sourced<Duration>

  /// Intervals that no controller takes, and the error 0, are ignored.
  package func applying(_ overrides: RuleOverrides) -> RuleSet {
    let source = "the profile"
    func interval(_ milliseconds: Double?) -> Sourced<AdvertisingInterval>? {
      milliseconds.flatMap { AdvertisingInterval(minimum: $0, maximum: $0) }.map { Sourced($0, source) }
    }
    var rules = self
    if let interval = interval(overrides.foregroundInterval) { rules.foregroundInterval = interval }
    if let interval = interval(overrides.backgroundInterval) { rules.backgroundInterval = interval }
    if let error = overrides.suspendedError, error.rawValue != 0 { rules.suspendedError = Sourced(error, source) }
    if let disables = overrides.disablesCachedValues { rules.disablesCachedValues = Sourced(disables, source) }
    return rules
  }
}
