import BleperaBluetooth
import BleperaRules
import Testing

@Suite("R3: advertising intervals")
struct IntervalTests {
  @Test(
    "The background interval only when every app that advertises is in the background",
    arguments: [
      ("a foreground backgroundMode - 180D", IOSVersion.ios26, IntervalKind.foreground, 181.25),
      ("a background backgroundMode - 180D", .ios26, .background, 270),
      ("a suspended backgroundMode - 180D", .ios26, .background, 270),
      ("a suspended backgroundMode - 180D\nb foreground backgroundMode - 180F", .ios26, .foreground, 181.25),
      ("a suspended backgroundMode - 180D\nb foreground foregroundOnly - 180F", .ios26, .foreground, 181.25),
      ("a suspended backgroundMode - 180D\nb background foregroundOnly - 180F", .ios26, .background, 270),
      ("a suspended backgroundMode - 180D\nb background backgroundMode - 180F", .ios18, .background, 270),
      ("a background backgroundMode - 180D", .ios11, .background, 181.25),
      ("a foreground backgroundMode - 180D", .ios11, .foreground, 181.25),
    ])
  func kinds(apps: String, version: IOSVersion, kind: IntervalKind, interval: Double) {
    let plan = AdvertisementPlanner.plan(Air.advertisers(apps), rules: RuleSet(version))
    #expect(plan.intervalKind == kind)
    #expect(plan.interval?.minimum == interval)
    #expect(plan.interval?.maximum == interval)
  }

  @Test("Of the intervals that profiles set the shortest applies") func overrides() throws {
    func app(_ name: String, _ state: AppState, _ fast: Double?, _ slow: Double?) throws -> Advertiser {
      let overrides = RuleOverrides(foregroundInterval: fast, backgroundInterval: slow)
      return Advertiser(
        app: TraceWord.app(name), state: state, hasBackgroundMode: true, fields: TraceWord.fields(["-", "180D"]),
        overrides: overrides)
    }
    func interval(_ advertisers: [Advertiser]) -> String {
      AdvertisementPlanner.plan(advertisers, rules: .newest).interval.map { "\($0)" } ?? "none"
    }
    #expect(try interval([app("a", .foreground, 100, nil)]) == "100 ms")
    #expect(try interval([app("a", .background, 100, nil)]) == "270 ms")
    #expect(try interval([app("a", .background, nil, 500)]) == "500 ms")
    #expect(try interval([app("a", .foreground, 300, nil), app("b", .foreground, 250, nil)]) == "250 ms")
    #expect(try interval([app("a", .foreground, 300, nil), app("b", .background, 20, 20)]) == "300 ms")
    #expect(try interval([app("a", .background, nil, 2000), app("b", .background, nil, nil)]) == "270 ms")
  }

  @Test(
    "An interval that no controller takes is none",
    arguments: [(19.9, 100), (100, 10240.5), (200, 100), (.nan, .nan), (-.infinity, .infinity), (0, 0)])
  func refused(minimum: Double, maximum: Double) {
    #expect(AdvertisingInterval(minimum: minimum, maximum: maximum) == nil)
  }
}
