package import BleperaBluetooth

/// The values of the rules in one version of iOS, each with its source.
package struct RuleSet: Hashable, Sendable {
  package let version: IOSVersion
  /// The phone whose measured values these are; nil for the version's own.
  package internal(set) var measured: MeasuredPhone?
  /// The defects that the phone has.
  package var defects: Set<PhoneDefect> = []

  // R1 foreground

  /// Bytes of the advertisement that apps share, including AD headers.
  package internal(set) var foregroundBudget: Sourced<Int>
  /// Bytes of the scan response that a local name may take, including the AD header.
  package internal(set) var scanResponseNameBudget: Sourced<Int>
  /// Bytes of a scan response without overflow area that a local name may take, including the AD header.
  package internal(set) var emptyScanResponseNameBudget: Sourced<Int>
  package internal(set) var overflowOrder: Sourced<OverflowOrder>
  /// In dBm; nil where the phone sends no TX power. Sent only where the apps leave room for it.
  package internal(set) var txPowerLevel: Sourced<Int?>
  package internal(set) var txPowerPlace: Sourced<TXPowerPlace>

  // R2 background

  /// The items that the phone itself advertises while no foreground app advertises; the overflow area is then in the
  /// scan response.
  package internal(set) var backgroundAppleItems: Sourced<[AppleItem]>
  /// The status of Nearby Info, its first byte; nil where the items are as given.
  package internal(set) var nearbyInfoStatus: Sourced<NearbyInfoStatus?>
  /// The items that the phone sends also without an app, from iOS 12 on.
  package private(set) var ownItems: Set<PhoneItem> = []
  private var handoff = AppleItem.handoff

  // R3 frequency

  package internal(set) var foregroundInterval: Sourced<AdvertisingInterval>
  package internal(set) var backgroundInterval: Sourced<AdvertisingInterval>
  /// The interval of the phone's own set, which an app's advertisement joins.
  package internal(set) var ownInterval: Sourced<AdvertisingInterval>
  package internal(set) var handoffInterval: Sourced<HandoffInterval>
  package internal(set) var findMyInterval: Sourced<AdvertisingInterval>
  /// The delay that the controller adds to each interval.
  package internal(set) var advertisingDelay: Sourced<AdvertisingDelay>
  /// How long the phone uses a resolvable private address, at least.
  package internal(set) var addressRotation: Sourced<Duration>

  // R4 foreground-only

  /// The time from the move to the background to suspension, without `bluetooth-peripheral`.
  package let foregroundOnlyGrace: Sourced<Duration>
  /// The error for a request to a foreground-only app outside the foreground.
  package internal(set) var suspendedError: Sourced<ATTError>
  /// Whether reads of a foreground-only app's cached values are refused too.
  package internal(set) var disablesCachedValues: Sourced<Bool>
  /// The maximum number of queued subscriptions, unsubscriptions and writes without response for one app; beyond the
  /// limit the oldest is dropped. Other callbacks are not counted.
  package let eventQueueLimit: Sourced<Int>

  // R5 wake

  /// The time from the move to the background to suspension, with `bluetooth-peripheral`.
  package let backgroundGrace: Sourced<Duration>
  /// How long an app runs in the background after each event that may wake an app.
  package let wakeBudget: Sourced<Duration>
  /// The time limit of a launch: for an inactive app to advertise, for a relaunched process to connect, and for an app
  /// that is launched into the background.
  package let launchBudget: Sourced<Duration>

  /// The time from the last event of a woken or relaunched app, whose queues are idle, to suspension.
  package internal(set) var wakeTime: Sourced<Duration>
  /// How long background tasks keep an app running in the background.
  package let backgroundTask: Sourced<Duration>

  // R6 limits

  /// The error for a request that the app does not respond to in time.
  package let timeoutError: Sourced<ATTError>
  /// How long an app that exceeded its time is not woken.
  package let throttle: Sourced<Duration>
  /// The number of consecutive overruns at which the app is terminated.
  package let overrunLimit: Sourced<Int>

  // R11 several apps

  /// Whether several apps may be in the foreground, as in an iPad's Split View.
  package internal(set) var splitView: Sourced<Bool>

  // R12 no new advertisement

  package let mayStartInBackground: Sourced<Bool>

  // R13 back-pressure

  /// The number of updates that may wait for one central before `updateValue` returns false.
  package internal(set) var transmitQueue: Sourced<Int>
  /// The number of an app's writes without response that may wait for one link before `canSendWriteWithoutResponse`
  /// is false.
  package let writeQueue: Sourced<Int>
  /// Whether `canSendWriteWithoutResponse` is true in `didConnect`, and not from the next connection event on.
  package let writesAtConnection: Sourced<Bool>
  /// The time from one connection event of a link to the next; updates leave at these events.
  package internal(set) var connectionInterval: Sourced<Duration>

  // R15 relaunch

  package let relaunch: [RelaunchTrigger: Sourced<RelaunchOutcome>]

  // R16 scan

  /// The scan interval and window of an app in the foreground.
  package internal(set) var foregroundScan: Sourced<ScanTiming>
  /// The scan interval and window where all apps that scan are in the background.
  package internal(set) var backgroundScan: Sourced<ScanTiming>
  /// Which packets a discovery has.
  package let foregroundDiscoveries: Sourced<DiscoveredPackets>
  /// When a scan in the background requests scan responses.
  package internal(set) var backgroundScanResponses: Sourced<ScanResponses>
  /// Whether the overflow area is ignored while the central's screen is off.
  package let overflowNeedsScreen: Sourced<Bool>
  /// Whether an app with a Live Activity scans in the background without services and with duplicates.
  package let liveActivityScans: Sourced<Bool>

  /// The scan of an app in the background after the screen was lit, the phone was unlocked or an app was opened.
  package internal(set) var litScan: Sourced<BoostedScan>
  /// The scan interval and window while the phone sleeps.
  package internal(set) var sleepScan: Sourced<ScanTiming>
  /// Whether an app that stops its scan and begins the same again discovers each peripheral again.
  package let restartReportsAgain: Sourced<Bool>

  // R17 connections

  /// The maximum number of connections in which the phone is the central.
  package let connectionLimit: Sourced<Int>
  /// The scan interval and window while apps wait for connections and the screen is on.
  package internal(set) var connectionScan: Sourced<ScanTiming>
  /// The scan interval and window while apps wait for connections and the phone sleeps.
  package internal(set) var sleepConnectionScan: Sourced<ScanTiming>
  /// The payload of the phone's data PDUs, in bytes.
  package internal(set) var dataLength: Sourced<Int>
  /// The ATT_MTU that the phone requests as a client over a link with data length, and offers as a server, which is
  /// ours.
  package internal(set) var clientMTU: Sourced<Int>
  /// The ATT_MTU that the phone requests and offers at most over a link without data length.
  package let shortPacketMTU: Sourced<Int>
  /// How long after its last packet a peripheral that may be forgotten keeps its identifier.
  package let identifierLifetime: Sourced<Duration>
  /// The number of known peripherals beyond which those received longest ago are forgotten.
  package let identifierLimit: Sourced<Int>

  // Known, and used by nothing yet

  package internal(set) var requestedLink: Sourced<RequestedLink>
  package internal(set) var ownHandles: Sourced<OwnHandles>

  // Not rules of iOS

  /// The minimum delay after a failed relaunch; doubled after each further failure.
  package let relaunchBackOff: Sourced<Duration>
  /// The number of consecutive failed relaunches after which only the user launches the app.
  package let relaunchLimit: Sourced<Int>

  /// The rule set of a device that shows several apps at once, or one.
  package func with(splitView: Bool) -> RuleSet {
    guard splitView != self.splitView.value else { return self }
    var rules = self
    rules.splitView = Sourced(splitView, .ours, "the user")
    return rules
  }

  package func with(wakeTime: Duration) -> RuleSet {
    var rules = self
    rules.wakeTime = Sourced(wakeTime, .ours, "the user")
    return rules
  }

  package func with(phoneKind kind: PhoneKind) -> RuleSet {
    var rules = self
    switch kind {
    case .upTo6s:
      rules.dataLength = Sourced(
        DataLength.range.lowerBound, .reported, "an iPhone 7 asks for data length, a 6s does not (devzone 16644)")
      rules.clientMTU = Sourced(
        ATTMTU.iPhone, .reported, "iPhone 6s, iOS 14.4: no more; from the iPhone 7 on more (esp32-snippets issue 325)")
    case .earlier: break
    case .n1:
      let source =
        "iPhone 17 Pro Max, iOS 26.5.1 (Bafang-RideSync, bluetoothd-hci-latest.pklg): 127 of 127 packets without an app; "
        + "no packet of an app on such a phone is published"
      rules.txPowerLevel = Sourced(0, .measured, source)
      rules.txPowerPlace = Sourced(.last, .measured, source)
    }
    return rules
  }

  package var phoneKind: PhoneKind {
    dataLength.value == DataLength.range.lowerBound ? .upTo6s : txPowerPlace.value == .last ? .n1 : .earlier
  }

  /// The ATT_MTU that the phone requests and offers over a link; the length is that of the side with shorter data PDUs.
  package func offeredMTU(overDataLength length: Int) -> Int {
    length > DataLength.range.lowerBound ? clientMTU.value : min(clientMTU.value, shortPacketMTU.value)
  }

  /// The rule set with the condition for scan responses of a scan in the background.
  package func with(backgroundScanResponses responses: ScanResponses) -> RuleSet {
    var rules = self
    rules.backgroundScanResponses = Sourced(responses, .ours, "the user")
    return rules
  }

  /// The rule set of a phone with a tag of its own in Nearby Info, which the number decides.
  package func with(nearbyInfoTag number: UInt64) -> RuleSet {
    var rules = self
    let items = backgroundAppleItems
    rules.backgroundAppleItems = Sourced(items.value.map { $0.withTag(number) }, items.standing, items.source)
    rules.handoff = handoff.withTag(number)
    return rules
  }

  /// The rule set of a phone that sends Nearby Info, with exactly these Apple items in its place; or without items.
  package func with(backgroundAppleItems items: [AppleItem]) -> RuleSet {
    var rules = self
    rules.backgroundAppleItems = Sourced(items, .ours, "the user")
    rules.nearbyInfoStatus = Sourced(nil, .ours, "the user")
    return rules
  }

  /// The rule set of a phone that sends these items without an app too, or none; phones before iOS 12 send none.
  package func with(ownItems items: Set<PhoneItem>) -> RuleSet {
    let sendsFirstSet = !items.isDisjoint(with: [.nearbyInfo, .handoff])
    var rules = sendsFirstSet ? self : with(backgroundAppleItems: [])
    rules.ownItems = version < .ios12 ? [] : items
    return rules
  }

  /// The items of the phone itself in its first advertising set.
  package func appleItems(isLocked: Bool) -> [AppleItem] {
    guard let status = nearbyInfoStatus.value else { return backgroundAppleItems.value }
    let items = backgroundAppleItems.value.map { $0.withStatus(isLocked ? status.locked : status.unlocked) }
    guard ownItems.contains(.handoff), !isLocked else { return items }
    let all = [handoff] + items
    let room = AdvertisingBudget.legacyMaximum - AdvertisingBudget.flagsLength
    return all.structure.map { $0.length <= room } == true ? all : all.map(\.shortened)
  }

  /// Applies an app's overrides, except intervals that no controller accepts, the error 0, and a transmit queue of 0.
  package func applying(_ overrides: RuleOverrides) -> RuleSet {
    let source = "the profile"
    func interval(_ milliseconds: Double?) -> Sourced<AdvertisingInterval>? {
      milliseconds.flatMap { AdvertisingInterval(minimum: $0, maximum: $0) }.map { Sourced($0, .ours, source) }
    }
    var rules = self
    if let interval = interval(overrides.foregroundInterval) { rules.foregroundInterval = interval }
    if let interval = interval(overrides.backgroundInterval) { rules.backgroundInterval = interval }
    if let error = overrides.suspendedError, error.rawValue != 0 {
      rules.suspendedError = Sourced(error, .ours, source)
    }
    if let disables = overrides.disablesCachedValues { rules.disablesCachedValues = Sourced(disables, .ours, source) }
    if let updates = overrides.transmitQueue, updates > 0 { rules.transmitQueue = Sourced(updates, .ours, source) }
    return rules
  }
}

/// Where the TX power level is in the advertisement.
package enum TXPowerPlace: String, Hashable, CaseIterable, Sendable {
  case afterFlags
  case last
}

/// The status of Nearby Info, its first byte, by the state of the phone.
package struct NearbyInfoStatus: Hashable, Sendable, CustomStringConvertible {
  package let locked: UInt8
  package let unlocked: UInt8

  package var description: String { "\(Hex.string([locked])) locked, \(Hex.string([unlocked])) unlocked" }
}

/// The interval of the first set while Handoff is in it.
package struct HandoffInterval: Hashable, Sendable, CustomStringConvertible {
  /// The interval while Handoff is new.
  package let first: AdvertisingInterval
  package let newTime: Duration
  package let then: AdvertisingInterval

  package var description: String { "\(first) for \(newTime.components.seconds) s, then \(then)" }
}

/// A value and its source.
package struct Sourced<Value: Hashable & Sendable>: Hashable, Sendable {
  package let value: Value
  package let standing: Standing
  /// A line with the phone and file, the document or the report; with the known facts for a value of blepera's own.
  package let source: String
  /// The values that other captures and reports have.
  package let alternatives: [Sourced<Value>]

  package init(_ value: Value, _ standing: Standing, _ source: String, alternatives: [Sourced<Value>] = []) {
    self.value = value
    self.standing = standing
    self.source = source
    self.alternatives = alternatives
  }
}

/// How a value of a rule set is known.
package enum Standing: String, Hashable, Encodable, CaseIterable, Sendable {
  /// In a published capture or log of a phone's radio; the source names the phone and the file.
  case measured
  /// In a text of Apple or a specification.
  case documented
  /// A developer reports the value without a capture.
  case reported
  /// A value of blepera's own, within the limits of the known facts.
  case ours
}
