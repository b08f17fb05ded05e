import BleperaBluetooth
import BleperaRules
import Testing

@Suite("Visible values")
struct VisibleValueTests {
  @Test("Visible values are values of the rule set, in their order")
  func names() {
    let all = RuleSet.newest.values.map(\.name)
    let names = VisibleValue.all.map(\.name)
    #expect(all.filter { names.contains($0) } == names)
    #expect(
      RuleSet.newest.values.filter { $0.visibility == .hci }.map(\.name) == [
        "foregroundScan", "backgroundScan", "backgroundScanResponses", "litScan", "sleepScan", "connectionScan",
        "sleepConnectionScan", "requestedLink",
      ])
    #expect(RuleSet.newest.values.count { $0.visibility == .air } == 18)
  }

  @Test("A value's content is accepted, and set again leaves the value", arguments: IOSVersion.allCases)
  func contents(version: IOSVersion) {
    for value in VisibleValue.all {
      let rules = RuleSet(version)
      let content = value.content(in: rules)
      guard content != .none || value.name == "txPowerLevel" else { continue }
      var changed = rules
      #expect(value.set(content, source: "a file", in: &changed), "\(value.name)")
      #expect(value.content(in: changed) == content, "\(value.name)")
      let printed = changed.values.first { $0.name == value.name }
      #expect(printed?.text == rules.values.first { $0.name == value.name }?.text)
      #expect((printed?.standing, printed?.source) == (.measured, "a file"))
    }
  }

  @Test(
    "Other contents are set",
    arguments: [
      ("txPowerLevel", RuleContent.none, "none"), ("txPowerLevel", .number(-8), "-8 dBm"),
      ("txPowerPlace", .word("last"), "last"), ("ownInterval", .milliseconds(417.5), "417.5 ms"),
      ("backgroundAppleItems", .list([.bytes([0x0F, 1, 7])]), "0F 01 07"), ("backgroundAppleItems", .list([]), "none"),
      ("nearbyInfoStatus", .fields([.init("locked", .bytes([3]))]), "03 locked, 7B unlocked"),
      ("handoffInterval", .fields([.init("newTime", .milliseconds(4000))]), "30 ms for 4 s, then 181.25 ms"),
      (
        "advertisingDelay", .fields([.init("step", .milliseconds(0.625)), .init("maximum", .milliseconds(5))]),
        "0 to 5 ms in steps of 0.625 ms"
      ),
      ("addressRotation", .milliseconds(60_000), "at least 60 s"),
      ("foregroundScan", .fields([.init("window", .milliseconds(12.5))]), "12.5 ms of 40 ms"),
      (
        "requestedLink", .fields([.init("minimum", .milliseconds(15)), .init("latency", .number(4))]),
        "15 to 30 ms, latency 4, 720 ms"
      ),
      ("ownHandles", .fields([.init("180A", .number(20))]), "1 service"),
    ])
  func changes(name: String, content: RuleContent, text: String) throws {
    var rules = RuleSet.newest
    #expect(try #require(VisibleValue.named(name)).set(content, source: "a file", in: &rules))
    #expect(rules.values.first { $0.name == name }?.text == text)
  }

  @Test(
    "Contents that no phone can have are refused",
    arguments: [
      ("txPowerLevel", RuleContent.number(90)), ("txPowerPlace", .word("first")), ("txPowerPlace", .number(1)),
      ("ownInterval", .milliseconds(19)), ("backgroundAppleItems", .list([.bytes([0x10, 9, 1])])),
      ("backgroundAppleItems", .none), ("nearbyInfoStatus", .fields([.init("lit", .bytes([1]))])),
      ("nearbyInfoStatus", .fields([.init("locked", .bytes([1, 2]))])),
      ("foregroundScan", .fields([.init("window", .milliseconds(50))])),
      ("requestedLink", .fields([.init("minimum", .milliseconds(40))])),
      ("ownHandles", .fields([.init("18", .number(1))])), ("ownHandles", .fields([.init("180A", .number(0))])),
    ])
  func refused(name: String, content: RuleContent) throws {
    var rules = RuleSet.newest
    #expect(try !#require(VisibleValue.named(name)).set(content, source: "a file", in: &rules))
    #expect(rules == .newest)
  }

  private static func phone(_ values: [(String, RuleContent)]) -> RuleSet {
    RuleSet.newest.with(
      MeasuredPhone(name: "test", ios: nil, values: values.map { .init($0, $1, source: "a file") }))
  }

  @Test("A profile's rules stand over the file") func overrides() {
    let rules = Self.phone([("foregroundInterval", .milliseconds(400)), ("backgroundInterval", .milliseconds(500))])
    let applied = rules.applying(RuleOverrides(backgroundInterval: 1000))
    #expect(applied.foregroundInterval.value.minimum == 400)
    #expect(applied.backgroundInterval.value.minimum == 1000)
  }

  @Test("Handoff, new and later, has the measured interval") func handoff() {
    let rules = Self.phone([
      ("handoffInterval", .fields([.init("first", .milliseconds(40)), .init("then", .milliseconds(200))]))
    ]).with(ownItems: [.nearbyInfo, .handoff])
    for (isNew, interval) in [(true, 40.0), (false, 200)] {
      #expect(AdvertisementPlanner.plan([], rules: rules, isHandoffNew: isNew).own?.interval.minimum == interval)
    }
  }

  @Test("An app scans as measured") func scan() {
    let rules = Self.phone([
      ("foregroundScan", .fields([.init("interval", .milliseconds(60))])),
      ("backgroundScan", .fields([.init("window", .milliseconds(20))])), ("backgroundScanResponses", .word("never")),
    ])
    var central = IOSCentral(rules)
    func listened(_ event: IOSCentral.Event) -> String? {
      for case .listen(let listening?) in central.handle(event, at: .zero) {
        return "\(listening.timing)\(listening.isActive ? "" : ", passive")"
      }
      return nil
    }
    #expect(listened(.scan(ScanRequest(services: [BluetoothUUID(0x180D as UInt16)]))) == "30 ms of 60 ms")
    #expect(listened(.background) == "20 ms of 300 ms, passive")
  }
}
