import BleperaBluetooth

/// The values of a rule set as text.
extension RuleSet {
  /// How many of the values have each standing: `50 values: 10 measured, 9 documented, 9 reported, 22 ours`.
  package static func count(_ values: [Standing]) -> String {
    let counts = Standing.allCases.map { standing in "\(values.count { $0 == standing }) \(standing.rawValue)" }
    return "\(values.count) values: \(counts.joined(separator: ", "))"
  }

  /// Every value, in the order of the rules.
  package var values: [RuleValue] {
    [
      value(.r1, "foregroundBudget", foregroundBudget) { "\($0) bytes" },
      value(.r1, "scanResponseNameBudget", scanResponseNameBudget) { "\($0) bytes" },
      value(.r1, "emptyScanResponseNameBudget", emptyScanResponseNameBudget) { "\($0) bytes" },
      value(.r1, "overflowOrder", overflowOrder) { $0.rawValue },
      value(.r1, "txPowerLevel", txPowerLevel) { $0.map { "\($0) dBm" } ?? "none" },
      value(.r1, "txPowerPlace", txPowerPlace) { $0.rawValue },
      value(.r2, "backgroundAppleItems", backgroundAppleItems) { items in
        items.isEmpty ? "none" : items.map { "\($0)" }.joined(separator: ", ")
      },
      value(.r2, "nearbyInfoStatus", nearbyInfoStatus) { $0.map { "\($0)" } ?? "as given" },
      value(.r3, "foregroundInterval", foregroundInterval) { "\($0)" },
      value(.r3, "backgroundInterval", backgroundInterval) { "\($0)" },
      value(.r3, "ownInterval", ownInterval) { "\($0)" },
      value(.r3, "handoffInterval", handoffInterval) { "\($0)" },
      value(.r3, "findMyInterval", findMyInterval) { "\($0)" },
      value(.r3, "advertisingDelay", advertisingDelay) { "\($0)" },
      value(.r3, "addressRotation", addressRotation) { "at least \(Self.text($0))" },
      value(.r4, "foregroundOnlyGrace", foregroundOnlyGrace, text: Self.text),
      value(.r4, "suspendedError", suspendedError) { "\($0)" },
      value(.r4, "disablesCachedValues", disablesCachedValues, text: Self.text),
      value(.r4, "eventQueueLimit", eventQueueLimit) { "\($0) events" },
      value(.r5, "backgroundGrace", backgroundGrace, text: Self.text),
      value(.r5, "wakeBudget", wakeBudget, text: Self.text),
      value(.r5, "launchBudget", launchBudget, text: Self.text),
      value(.r5, "wakeTime", wakeTime, text: Self.text),
      value(.r5, "backgroundTask", backgroundTask, text: Self.text),
      value(.r6, "timeoutError", timeoutError) { "\($0)" },
      value(.r6, "throttle", throttle, text: Self.text),
      value(.r6, "overrunLimit", overrunLimit) { "\($0) in a row" },
      value(.r11, "splitView", splitView, text: Self.text),
      value(.r12, "mayStartInBackground", mayStartInBackground, text: Self.text),
      value(.r13, "transmitQueue", transmitQueue) { "\($0) updates" },
      value(.r13, "writeQueue", writeQueue) { "\($0) writes" },
      value(.r13, "writesAtConnection", writesAtConnection, text: Self.text),
      value(.r13, "connectionInterval", connectionInterval, text: Self.text),
    ]
      + RelaunchTrigger.allCases.compactMap { trigger in
        relaunch[trigger].map { value(.r15, "relaunch.\(trigger.rawValue)", $0) { $0.rawValue } }
      } + [
        value(.r16, "foregroundScan", foregroundScan) { "\($0)" },
        value(.r16, "backgroundScan", backgroundScan) { "\($0)" },
        value(.r16, "foregroundDiscoveries", foregroundDiscoveries) { $0.rawValue },
        value(.r16, "backgroundScanResponses", backgroundScanResponses) { $0.rawValue },
        value(.r16, "overflowNeedsScreen", overflowNeedsScreen, text: Self.text),
        value(.r16, "liveActivityScans", liveActivityScans, text: Self.text),
        value(.r16, "litScan", litScan) { "\($0)" },
        value(.r16, "sleepScan", sleepScan) { "\($0)" },
        value(.r16, "restartReportsAgain", restartReportsAgain, text: Self.text),
        value(.r17, "connectionLimit", connectionLimit) { "\($0) connections" },
        value(.r17, "connectionScan", connectionScan) { "\($0)" },
        value(.r17, "sleepConnectionScan", sleepConnectionScan) { "\($0)" },
        value(.r17, "dataLength", dataLength) { "\($0) bytes" },
        value(.r17, "clientMTU", clientMTU) { "\($0) bytes" },
        value(.r17, "shortPacketMTU", shortPacketMTU) { "\($0) bytes" },
        value(.r17, "identifierLifetime", identifierLifetime, text: Self.text),
        value(.r17, "identifierLimit", identifierLimit) { "\($0) peripherals" },
      ] + Self.fixedValues + unusedValues + [
        value(nil, "relaunchBackOff", relaunchBackOff, text: Self.text),
        value(nil, "relaunchLimit", relaunchLimit) { "\($0) in a row" },
      ]
  }

  /// Values that the code fixes for every version.
  private static let fixedValues: [RuleValue] = [
    ours(.r1, "nameShortening", "whole characters", known: "captures show names of ASCII alone"),
    ours(.r1, "listOrder", "16, 32, 128 bits", known: "captures show UUIDs of one width alone"),
    ours(.r1, "incompleteLists", "each width by itself", known: "captures show overflowing UUIDs of 128 bits alone"),
    ours(.r1, "repeatedUUIDs", "advertised once", known: "no capture has any"),
    ours(.r2, "nameAlone", "silent", known: "no capture shows an app without service UUIDs in the background"),
    ours(
      .r4, "commands", "dropped",
      known: "Apple's guide says that all events are queued, and names no writes without response"),
    RuleValue(
      rule: .r4, name: "centralEvents", text: "all queued", standing: .documented,
      source:
        "Apple, Core Bluetooth Background Processing for iOS Apps: all Bluetooth-related events are queued, without a "
        + "limit; an app received all notifications of 10 minutes at once (codedump KeQXk)"),
    RuleValue(
      rule: .r8, name: "relaunchCondition", text: "advertising, or centrals connected", standing: .reported,
      source: "TN3115 names apps that advertise; that a connected central is enough: codehunter"),
    ours(.r15, "beforeFirstUnlock", "silent", known: "TN3115 names relaunches alone"),
    RuleValue(
      rule: .r16, name: "backgroundResponseData", text: "overflow area alone", standing: .reported,
      source:
        "a filter finds a service UUID that only the scan response has in the foreground, and not in the background "
        + "(boardsesh PR 3821), where names and UUIDs of scan responses are missed (opentrace-ios issue 4)"),
    RuleValue(
      rule: .r16, name: "hiddenData", text: "all of company 004C", standing: .reported,
      source:
        "ChrisMarshallNY/TestCBIssue, logs of 2020: one app lists the types 10 and 09 on a Mac, and Apple's devices "
        + "without company data on iOS, tvOS and watchOS; iBeacon: openradar 15606232; for other types: ours"),
    RuleValue(
      rule: .r17, name: "addressAtPowerOn", text: "new", standing: .reported,
      source:
        "each time Bluetooth is switched (nuimo-emulator-ios issue 1; an iPad, circuitpython issue 5881), each time in "
        + "airplane mode (noble issue 576), after more than a minute in it (C19X-iOS-BLE)"),
    RuleValue(
      rule: .r17, name: "lostKeys", text: "error 14 until forgotten", standing: .reported,
      source:
        "CBError.peerRemovedPairingInformation at each connection to a peripheral that was reset or keeps three keys, for "
        + "all apps (torlando-tech/Columba-iOS PR 208, NimBLE-Arduino 522, Meshtastic-Apple 1366, omi 11308)"),
    RuleValue(
      rule: .r17, name: "missingIdentity", text: "no second connection", standing: .reported,
      source:
        "after Secure Connections without the peripheral's identity key, until forgotten, and not after legacy pairing "
        + "(esp-nimble-cpp 11, 159 and PR 164); CBError 10 after didConnect is ours"),
    RuleValue(
      rule: .r17, name: "sharedIdentityKey", text: "the last bond's", standing: .reported,
      source:
        "of peripherals with one identity key and private addresses only the one bonded last connects (NimBLE-Arduino 539)"
    ),
    RuleValue(
      rule: .r17, name: "securityRequest", text: "encrypts with the bond's key", standing: .documented,
      source:
        "Core Specification, Vol 3, Part H, 2.4.6; a report of Pairing Failed instead (wonderslug/esphome-ancs 15) has "
        + "NimBLE's status 13, its own timeout of 30 s"),
    RuleValue(
      rule: .r17, name: "unknownKey", text: "refused, and the link stays", standing: .documented,
      source:
        "Core Specification, Vol 6, Part B, 5.1.3: PIN or Key Missing; a central that encrypts twice with a stale key, as "
        + "Android 16 and 17 do (OneKeyHQ/hardware-js-sdk PR 951), can then pair"),
    RuleValue(
      rule: .r18, name: "emptiedBy", text: "power off, restart", standing: .reported,
      source: "philips77 (IOS-nRF-Connect 30); one report has it full for 24 to 48 h (bluezero 405)"),
    ours(
      .r18, "includedServices", "cached", known: "Apple names services, characteristics and descriptors (WWDC 2013-703)"
    ),
    ours(
      .r18, "readValues", "as long as the attributes",
      known:
        "Apple: a read value is in a characteristic that is discovered again (WWDC 2013-703); how long, is unpublished"),
    RuleValue(
      rule: .r18, name: "databaseHash", text: "ignored", standing: .measured,
      source:
        "iPhone 16 Pro Max, iOS 27 beta (even-g2, bt.pklg): of a peripheral that has both, Service Changed is used"),
    RuleValue(
      rule: .r19, name: "alertedApp", text: "the latest in the foreground", standing: .documented,
      source: "Apple, Core Bluetooth Background Processing for iOS Apps: of several apps that have asked for it"),
    ours(
      .r19, "repeatedAlerts", "one for each event",
      known: "neither the text of an alert nor whether it repeats is published"),
  ]

  /// Values that nothing uses yet.
  private var unusedValues: [RuleValue] {
    [
      value(.r17, "requestedLink", requestedLink) { "\($0)" },
      value(nil, "ownHandles", ownHandles) { "\($0)" },
    ].map { value in
      var unused = value
      unused.isUsed = false
      return unused
    }
  }

  private static func ours(_ rule: RuleID, _ name: String, _ text: String, known: String) -> RuleValue {
    RuleValue(rule: rule, name: name, text: text, standing: .ours, source: known)
  }

  private func value<Value>(
    _ rule: RuleID?, _ name: String, _ sourced: Sourced<Value>, text: (Value) -> String
  ) -> RuleValue {
    RuleValue(rule: rule, name: name, text: text(sourced.value), standing: sourced.standing, source: sourced.source)
  }

  private static func text(_ value: Bool) -> String { value ? "yes" : "no" }

  private static func text(_ value: Duration) -> String {
    let seconds = value / .seconds(1)
    return Int(exactly: seconds).map { "\($0) s" } ?? "\(seconds) s"
  }
}

/// A value of a rule set as text.
package struct RuleValue: Hashable, Sendable {
  /// Nil for a value that does not belong to a rule of iOS.
  package let rule: RuleID?
  /// The name of the property of `RuleSet`.
  package let name: String
  /// The value with its unit.
  package let text: String
  package let standing: Standing
  package let source: String
  /// Whether the program follows the value; otherwise it is known, and nothing uses it yet.
  package var isUsed = true

  /// Where a capture shows the value; nil for a value that no capture shows.
  package var visibility: RuleVisibility? { VisibleValue.named(name)?.visibility }
}
