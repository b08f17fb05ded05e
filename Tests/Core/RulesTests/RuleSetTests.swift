import BleperaBluetooth
import BleperaRules
import Testing

@Suite("Rule sets")
struct RuleSetTests {
  @Test("Every version has every value, each with its source", arguments: IOSVersion.allCases)
  func values(version: IOSVersion) {
    let rules = RuleSet(version)
    #expect(rules.version == version)
    #expect(rules.values.count == 77 + RelaunchTrigger.allCases.count)
    #expect(rules.values.allSatisfy { !$0.text.isEmpty && !$0.source.isEmpty && !$0.source.contains("\n") })
    #expect(Set(rules.values.map(\.name)).count == rules.values.count)
    #expect(rules.relaunch.count == RelaunchTrigger.allCases.count)
  }

  @Test("A measured value names the phone and the file, and each standing has values", arguments: IOSVersion.allCases)
  func standings(version: IOSVersion) {
    let values = RuleSet(version).values
    let files = ["ios-overflow-area", "BLEDeviceFilterTest.java", "bluetoothd-hci-latest.pklg", "bt.pklg"]
    for value in values where value.standing == .measured {
      #expect(value.source.contains("iPhone") && files.contains { value.source.contains($0) }, "\(value.name)")
    }
    #expect(Set(values.map(\.standing)) == Set(Standing.allCases))
  }

  @Test("Values that nothing uses yet are measured and listed") func unused() {
    let unused = RuleSet.newest.values.filter { !$0.isUsed }
    #expect(unused.map(\.name) == ["requestedLink", "ownHandles"])
    #expect(unused.allSatisfy { $0.standing == .measured })
  }

  @Test("The random delay is that of an iPhone 6 up to iOS 12", arguments: IOSVersion.allCases)
  func delays(version: IOSVersion) {
    let delay = RuleSet(version).advertisingDelay.value
    #expect("\(delay)" == (version < .ios13 ? "0 to 5 ms in steps of 1.25 ms" : "0 to 10 ms"))
    var random = SplitMix64(seed: 1)
    let delays = Set((0..<1000).map { _ in delay.random(using: &random) })
    if version < .ios13 {
      #expect(delays == Set([0, 1250, 2500, 3750, 5000].map { .microseconds($0) }))
    } else {
      #expect(delays.count > 900 && delays.allSatisfy { (.zero ... .milliseconds(10)).contains($0) })
    }
  }

  @Test("A phone with N1 has the TX power level last, 0 dBm") func phoneKinds() {
    let rules = RuleSet.newest.with(phoneKind: .n1)
    #expect((rules.txPowerLevel.value, rules.txPowerPlace.value, rules.phoneKind) == (0, .last, .n1))
    #expect(RuleSet.newest.with(phoneKind: .earlier) == .newest)
    #expect(IOSVersion.allCases.filter { PhoneKind.n1.runs($0) } == [.ios26, .ios27])
    #expect(
      ["iPhone18,2", "iPhone17,5", "iPad16,3", "iPhone"].map { PhoneKind(product: $0) } == [.n1, .earlier, nil, nil])
  }

  @Test("A phone up to the 6s has no data length") func phonesWithoutDataLength() {
    let rules = RuleSet(.ios15).with(phoneKind: .upTo6s)
    #expect((rules.dataLength.value, rules.clientMTU.value, rules.phoneKind) == (27, 185, .upTo6s))
    #expect(rules.dataLength.standing == .reported && rules.clientMTU.standing == .reported)
    #expect(["iPhone8,1", "iPhone8,4", "iPhone9,1"].map { PhoneKind(product: $0) } == [.upTo6s, .upTo6s, .earlier])
    #expect(IOSVersion.allCases.filter { PhoneKind.upTo6s.runs($0) } == IOSVersion.allCases.filter { $0 <= .ios15 })
    #expect(PhoneKind.allCases.map(\.versions) == ["iOS 10 to 15", "iOS 10 to 27", "iOS 26 to 27"])
  }

  @Test("The offered ATT_MTU depends on the data length from iOS 15 on", arguments: IOSVersion.allCases)
  func offeredMTU(version: IOSVersion) {
    let rules = RuleSet(version)
    let long = version < .ios15 ? 185 : 527
    #expect([27, 28, 251].map { rules.offeredMTU(overDataLength: $0) } == [185, long, long])
    #expect(rules.clientMTU.standing == (version < .ios26 ? .reported : .measured))
    #expect(rules.shortPacketMTU.source.contains("is derived"))
  }

  @Test("Values are counted by how they are known") func count() {
    #expect(
      RuleSet.count([.ours, .measured, .ours, .documented])
        == "4 values: 1 measured, 1 documented, 0 reported, 2 ours")
  }

  @Test(
    "Values are printed with their units",
    arguments: [
      ("foregroundBudget", "28 bytes"), ("scanResponseNameBudget", "10 bytes"),
      ("emptyScanResponseNameBudget", "12 bytes"), ("backgroundAppleItems", "10 07 7B 1F F0 82 03 00 38"),
      ("nearbyInfoStatus", "33 locked, 7B unlocked"), ("ownInterval", "270 ms"),
      ("handoffInterval", "30 ms for 2 s, then 181.25 ms"), ("findMyInterval", "2000 ms"),
      ("txPowerLevel", "12 dBm"),
      ("foregroundInterval", "181.25 ms"), ("backgroundInterval", "270 ms"), ("advertisingDelay", "0 to 10 ms"),
      ("addressRotation", "at least 900 s"), ("sleepScan", "30 ms of 965.625 ms"), ("foregroundOnlyGrace", "5 s"),
      ("suspendedError", "0x0E unlikelyError"), ("disablesCachedValues", "no"), ("wakeBudget", "10 s"),
      ("wakeTime", "10 s"), ("backgroundGrace", "10 s"), ("restartReportsAgain", "yes"),
      ("overrunLimit", "3 in a row"), ("mayStartInBackground", "no"),
      ("relaunchBackOff", "1 s"), ("relaunchLimit", "5 in a row"),
      ("relaunch.crash", "relaunched"), ("foregroundScan", "30 ms of 40 ms"), ("backgroundScan", "30 ms of 300 ms"),
      ("overflowNeedsScreen", "yes"), ("splitView", "no"), ("backgroundTask", "30 s"),
      ("connectionLimit", "8 connections"),
      ("connectionScan", "30 ms of 300 ms"), ("sleepConnectionScan", "12.5 ms of 300 ms"), ("clientMTU", "527 bytes"),
      ("dataLength", "251 bytes"), ("shortPacketMTU", "185 bytes"),
      ("identifierLifetime", "86400 s"),
      ("identifierLimit", "10000 peripherals"), ("writeQueue", "20 writes"), ("writesAtConnection", "yes"),
    ])
  func texts(name: String, text: String) {
    #expect(RuleSet.newest.values.first { $0.name == name }?.text == text)
  }

  @Test(
    "What differs between versions",
    arguments: [
      (IOSVersion.ios10, 181.25, true, [], nil), (.ios11, 181.25, true, [], nil),
      (.ios12, 181.25, true, [.nearbyInfo], nil),
      (.ios13, 270, true, [.nearbyInfo], 12), (.ios14, 270, false, [.nearbyInfo], 12),
      (.ios17, 270, false, [.nearbyInfo], 12), (.ios18, 270, false, [.nearbyInfoInUse], 12),
      (.ios26, 270, false, [.nearbyInfoInUse], 12), (.ios27, 270, false, [.nearbyInfoInUse], 8),
    ] as [(IOSVersion, Double, Bool, [AppleItem], Int?)])
  func differences(
    version: IOSVersion, interval: Double, mayStart: Bool, items: [AppleItem], power: Int?
  ) {
    let rules = RuleSet(version)
    #expect(rules.backgroundInterval.value.minimum == interval)
    #expect(rules.mayStartInBackground.value == mayStart)
    #expect(rules.backgroundAppleItems.value == items)
    #expect(rules.txPowerLevel.value == power)
    #expect(rules.writesAtConnection.value == (version != .ios11))
  }

  @Test(
    "A value for which there is a public text has its standing, or names what else is known",
    arguments: [
      ("backgroundGrace", .reported, "codehunter"), ("wakeTime", .reported, "cordova-plugin-bluetoothle issue 433"),
      ("throttle", .ours, "48 s of processor time"), ("overrunLimit", .ours, "48 s of processor time"),
      ("writeQueue", .ours, "IOS-nRF-Connect-Device-Manager 318"), ("relaunch.exceededLimits", .reported, "Leverage"),
      ("restartReportsAgain", .ours, "RxBluetoothKit issue 141"), ("centralEvents", .documented, "are queued"),
      ("hiddenData", .reported, "TestCBIssue"), ("addressAtPowerOn", .reported, "noble issue 576"),
      ("foregroundDiscoveries", .reported, "cordova-plugin-ble-central 961"),
      ("backgroundScanResponses", .reported, "OverflowAreaBeaconRef"),
      ("backgroundResponseData", .reported, "boardsesh PR 3821"),
    ] as [(String, Standing, String)])
  func publicSources(name: String, standing: Standing, source: String) throws {
    let value = try #require(RuleSet.newest.values.first { $0.name == name })
    #expect(value.standing == standing)
    #expect(value.source.contains(source))
  }

  @Test(
    "R15: relaunched or not, by what ended the app and by version",
    arguments: [
      (RelaunchTrigger.suspended, RelaunchOutcome.resumed, RelaunchOutcome.resumed),
      (.memoryPressure, .relaunched, .relaunched),
      (.crash, .relaunched, .relaunched),
      (.forceQuit, .notRelaunched, .relaunchedWithAccessorySetup),
      (.exceededLimits, .notRelaunched, .notRelaunched),
      (.bluetoothSwitchedInSettings, .notRelaunched, .notRelaunched),
      (.airplaneMode, .notRelaunched, .notRelaunched),
    ])
  func relaunch(trigger: RelaunchTrigger, before: RelaunchOutcome, since: RelaunchOutcome) {
    for version in IOSVersion.allCases {
      #expect(RuleSet(version).relaunch[trigger]?.value == (version >= .ios26 ? since : before))
    }
  }

  @Test("R15: the button of Control Center switches Bluetooth off up to iOS 10, and no table has it before iOS 26")
  func controlCenter() {
    for version in IOSVersion.allCases {
      let found = RuleSet(version).relaunch[.bluetoothToggledInControlCenter]
      let expected: RelaunchOutcome =
        version == .ios10 ? .notRelaunched : version < .ios26 ? .relaunched : .relaunchedWithAccessorySetup
      #expect(found?.value == expected)
      #expect(found?.standing == (version < .ios26 ? .ours : .documented))
      #expect(found?.source.contains("QA1962") == false)
    }
  }

  @Test("R15: an app is relaunched after a reboot since iOS 11") func reboot() {
    for version in IOSVersion.allCases {
      let expected: RelaunchOutcome = version == .ios10 ? .notRelaunched : .relaunchedAfterFirstUnlock
      #expect(RuleSet(version).relaunch[.reboot]?.value == expected)
    }
  }

  @Test("A profile's values replace the version's") func overrides() throws {
    let interval = try #require(AdvertisingInterval(minimum: 100, maximum: 100))
    let rules = RuleSet.newest.applying(
      RuleOverrides(backgroundInterval: 100, suspendedError: .readNotPermitted, disablesCachedValues: true))
    #expect(rules.foregroundInterval == RuleSet.newest.foregroundInterval)
    #expect(rules.backgroundInterval == Sourced(interval, .ours, "the profile"))
    #expect(rules.suspendedError.value == .readNotPermitted)
    #expect(rules.disablesCachedValues.value)
    #expect(RuleSet.newest.applying(RuleOverrides()) == .newest)
  }

  @Test("The rules are R1 to R19, each one sentence") func rules() {
    #expect(RuleSet.rules.map(\.id) == RuleID.allCases)
    #expect(RuleSet.rules.map { "\($0.id)" } == (1...19).map { "R\($0)" })
    #expect(RuleSet.rules.allSatisfy { $0.meaning.hasSuffix(".") && !$0.scope.isEmpty && !$0.source.isEmpty })
  }
}
