import BleperaBluetooth
import BleperaRules
import Testing

@Suite("What a phone sends without an app")
struct OwnSetTests {
  struct Scene: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var ios = IOSVersion.newest
    var kind = PhoneKind.earlier
    var items: Set<PhoneItem> = [.nearbyInfo]
    var radio = RadioAvailability.open
    var apps = ""
    let expected: String

    var plan: AdvertisementPlan {
      let rules = RuleSet(ios).with(phoneKind: kind).with(ownItems: items)
      return AdvertisementPlanner.plan(Air.advertisers(apps), rules: rules, radio: radio)
    }
  }

  private static let nothing = "nothing"

  private static let scenes: [Scene] = [
    Scene(
      testDescription: "in use, iOS 26",
      expected: "02 01 1A | 02 0A 0C | 0C FF 4C 00 10 07 7B 1F F0 82 03 00 38, 270 ms"),
    Scene(
      testDescription: "locked, iOS 26", radio: .locked,
      expected: "02 01 1A | 02 0A 0C | 0C FF 4C 00 10 07 33 1F F0 82 03 00 38, 270 ms"),
    Scene(
      testDescription: "with N1, as captured of an iPhone 17 Pro Max", kind: .n1, radio: .locked,
      expected: "02 01 1A | 0C FF 4C 00 10 07 33 1F F0 82 03 00 38 | 02 0A 00, 270 ms"),
    Scene(
      testDescription: "iOS 18 as iOS 26", ios: .ios18,
      expected: "02 01 1A | 02 0A 0C | 0C FF 4C 00 10 07 7B 1F F0 82 03 00 38, 270 ms"),
    Scene(
      testDescription: "locked, iOS 13", ios: .ios13, radio: .locked,
      expected: "02 01 1A | 02 0A 0C | 0B FF 4C 00 10 06 03 1E A3 DD 89 E0, 270 ms"),
    Scene(
      testDescription: "in use, iOS 12", ios: .ios12,
      expected: "02 01 1A | 0B FF 4C 00 10 06 0B 1E A3 DD 89 E0, 270 ms"),
    Scene(testDescription: "iOS 11", ios: .ios11, expected: nothing),
    Scene(testDescription: "with Bluetooth off", radio: .off, expected: nothing),
    Scene(testDescription: "before the first unlock", radio: .beforeFirstUnlock, expected: nothing),
    Scene(testDescription: "--apple-items none", items: [], expected: nothing),
    Scene(testDescription: "Find My alone, which is in another set", items: [.findMy], expected: nothing),
    Scene(
      testDescription: "Handoff leaves no room for the TX power level and the fourth byte of the tag",
      items: [.handoff],
      expected:
        "02 01 1A | 1B FF 4C 00 0C 0E 08 52 00 5C 1E 90 47 B3 2A D8 71 0F 66 E9 10 06 7B 1D F0 82 03 38, 181.25 ms"),
    Scene(
      testDescription: "the Nearby Info of iOS 14 fits beside Handoff", ios: .ios14, items: [.nearbyInfo, .handoff],
      expected:
        "02 01 1A | 1B FF 4C 00 0C 0E 08 52 00 5C 1E 90 47 B3 2A D8 71 0F 66 E9 10 06 0B 1E A3 DD 89 E0, 181.25 ms"),
    Scene(
      testDescription: "a locked phone sends no Handoff", items: [.handoff], radio: .locked,
      expected: "02 01 1A | 02 0A 0C | 0C FF 4C 00 10 07 33 1F F0 82 03 00 38, 270 ms"),
    Scene(
      testDescription: "beside a foreground-only app in the background", apps: "a background foregroundOnly Fred 180D",
      expected: "02 01 1A | 02 0A 0C | 0C FF 4C 00 10 07 7B 1F F0 82 03 00 38, 270 ms"),
    Scene(
      testDescription: "an app in the background joins it", apps: "a background backgroundMode Fred 180D",
      expected: nothing),
    Scene(
      testDescription: "an app in the foreground replaces it", apps: "a foreground backgroundMode Fred 180D",
      expected: nothing),
  ]

  @Test("The phone's own advertising set has its bytes and interval", arguments: scenes) func own(scene: Scene) {
    let own = scene.plan.own.map { own in
      own.advertisingData.structures.map { Hex.string($0.bytes, separator: " ") }.joined(separator: " | ")
        + ", \(own.interval)"
    }
    #expect((own ?? Self.nothing) == scene.expected)
    #expect((scene.plan.own?.advertisingData.length ?? 0) <= 31)
  }

  @Test("With an app in the background the set is the same, with the overflow area in the scan response")
  func joined() throws {
    let rules = RuleSet.newest.with(ownItems: [.nearbyInfo])
    for radio in [RadioAvailability.open, .locked] {
      let alone = try #require(AdvertisementPlanner.plan([], rules: rules, radio: radio).own)
      let joined = AdvertisementPlanner.plan(
        Air.advertisers("a background backgroundMode - 180D"), rules: rules, radio: radio)
      #expect(joined.phone?.advertisingData == alone.advertisingData && joined.interval == alone.interval)
      #expect(joined.phone?.scanResponse.structures.count == 1)
    }
  }

  @Test("A phone without Apple items has the overflow area in the advertisement") func none() {
    let plan = AdvertisementPlanner.plan(
      Air.advertisers("a background backgroundMode - 180D"), rules: RuleSet.newest.with(ownItems: []))
    #expect(plan.phone?.advertisingData.length == 27 && plan.phone?.scanResponse.structures.isEmpty == true)
  }

  @Test("Handoff is sent every 30 ms for 2 s from each unlocking, and an app's packet in the background with it")
  func handoff() {
    var policy = Policy(rules: RuleSet.newest.with(ownItems: [.handoff]))
    func handle(_ event: Policy.Event, at seconds: Int) -> [String] {
      policy.handle(event, at: .seconds(seconds)).compactMap { action in
        switch action {
        case .air(let plan): "\((plan.interval ?? plan.own?.interval).map { "\($0)" } ?? "nothing")"
        case .schedule(let time): time.map { "at \($0 / .seconds(1))" } ?? "never"
        default: nil
        }
      }
    }
    #expect(handle(.radio(.on), at: 0) == ["30 ms", "at 2.0"])
    #expect(handle(.deadline, at: 2) == ["181.25 ms", "never"])
    #expect(handle(.locked, at: 5) == ["270 ms"])
    #expect(handle(.unlocked, at: 6) == ["30 ms", "at 8.0"])
    #expect(handle(.locked, at: 7) == ["270 ms", "never"])
    let app = AppID(rawValue: 1)
    let identity = AppIdentity(name: "a", hasBackgroundMode: true)
    #expect(handle(.unlocked, at: 8) == ["30 ms", "at 10.0"])
    #expect(handle(.launched(app, identity, into: .foreground), at: 11) == ["181.25 ms", "never"])
    #expect(handle(.managerCreated(app, .only), at: 11) == [])
    #expect(
      handle(.startAdvertising(app, AdvertisementData(serviceUUIDs: [BluetoothUUID(0x180D as UInt16)])), at: 12)
        == ["181.25 ms"])
    #expect(handle(.toBackground(app), at: 13) == ["30 ms", "at 15.0"])
    #expect(handle(.deadline, at: 15) == ["181.25 ms", "at 23.0"])
  }
}
