import Policy
import Testing

@Suite("R3: how often")
struct IntervalTests {
  @Test(
    "The background interval only when every app that advertises is in the background",
    arguments: [
      ("a foreground mode - 180D", IOSVersion.ios26, AdvertisingPace.foreground, 181.25),
      ("a background mode - 180D", .ios26, .background, 1022.5),
      ("a suspended mode - 180D", .ios26, .background, 1022.5),
      ("a suspended mode - 180D\nb foreground mode - 180F", .ios26, .foreground, 181.25),
      ("a suspended mode - 180D\nb foreground only - 180F", .ios26, .foreground, 181.25),
      ("a suspended mode - 180D\nb background only - 180F", .ios26, .background, 1022.5),
      ("a suspended mode - 180D\nb background mode - 180F", .ios18, .background, 1022.5),
      ("a background mode - 180D", .ios11, .background, 181.25),
      ("a foreground mode - 180D", .ios11, .foreground, 181.25),
    ])
  func pace(apps: String, version: IOSVersion, pace: AdvertisingPace, interval: Double) {
    let plan = AdvertisementPlanner.plan(Air.advertisers(apps), rules: RuleSet(version))
    #expect(plan.pace == pace)
    #expect(plan.interval?.minimum == interval)
    #expect(plan.interval?.maximum == interval)
    #expect(plan.advertisements.allSatisfy { $0.interval == plan.interval })
  }

  @Test("Profiles may set other intervals, of which the shortest counts") func overrides() throws {
    func app(_ name: String, _ state: AppState, _ fast: Double?, _ slow: Double?) throws -> Advertiser {
      let overrides = RuleOverrides(
        foregroundInterval: try fast.map { try #require(AdvertisingInterval(minimum: $0, maximum: $0)) },
        backgroundInterval: try slow.map { try #require(AdvertisingInterval(minimum: $0, maximum: 2 * $0)) })
      return Advertiser(
        app: TraceWord.app(name), state: state, hasBackgroundMode: true, fields: TraceWord.fields(["-", "180D"]),
        overrides: overrides)
    }
    func interval(_ advertisers: [Advertiser]) -> String {
      AdvertisementPlanner.plan(advertisers, rules: .newest).interval.map { "\($0)" } ?? "none"
    }
    #expect(try interval([app("a", .foreground, 100, nil)]) == "100 ms")
    #expect(try interval([app("a", .background, 100, nil)]) == "1022.5 ms")
    #expect(try interval([app("a", .background, nil, 500)]) == "500 to 1000 ms")
    #expect(try interval([app("a", .foreground, 300, nil), app("b", .foreground, 250, nil)]) == "250 ms")
    #expect(try interval([app("a", .foreground, 300, nil), app("b", .background, 20, 20)]) == "300 ms")
    #expect(try interval([app("a", .background, nil, 2000), app("b", .background, nil, nil)]) == "1022.5 ms")
  }

  @Test(
    "BlueZ takes whole milliseconds, and gets those around",
    arguments: [(181.25, 181, 182), (1022.5, 1022, 1023), (100, 100, 100), (20, 20, 20), (10240, 10240, 10240)])
  func whole(milliseconds: Double, minimum: UInt32, maximum: UInt32) throws {
    let interval = try #require(AdvertisingInterval(minimum: milliseconds, maximum: milliseconds))
    #expect(interval.wholeMinimum == minimum)
    #expect(interval.wholeMaximum == maximum)
  }

  @Test(
    "A controller is given steps of 0.625 ms, rounded down",
    arguments: [
      (181.25, 180.625, 181.875), (1022.5, 1021.875, 1022.5), (100, 100, 100), (101, 100.625, 100.625), (20, 20, 20),
      (20.625, 20, 20.625), (10239.375, 10238.75, 10240), (10240, 10240, 10240),
    ])
  func steps(milliseconds: Double, minimum: Double, maximum: Double) throws {
    let interval = try #require(AdvertisingInterval(minimum: milliseconds, maximum: milliseconds))
    #expect(interval.controllerMinimum == minimum)
    #expect(interval.controllerMaximum == maximum)
  }

  @Test(
    "An interval that is not met is told as what the controller is given",
    arguments: [
      (181.25, 181.25, "180.625 to 181.875 ms, not 181.25 ms"), (101, 101, "100.625 ms, not 101 ms"),
      (100, 100, nil), (100, 101.875, nil), (100, 101, "100 to 100.625 ms, not 100 to 101 ms"),
    ] as [(Double, Double, String?)])
  func difference(minimum: Double, maximum: Double, expected: String?) throws {
    let interval = try #require(AdvertisingInterval(minimum: minimum, maximum: maximum))
    let advertiser = Advertiser(
      app: TraceWord.app("a"), state: .foreground, hasBackgroundMode: true, fields: TraceWord.fields(["-", "180D"]),
      overrides: RuleOverrides(foregroundInterval: interval))
    let differences = AdvertisementPlanner.plan([advertiser], rules: .newest).differences.map { "\($0)" }
    let causes = ": BlueZ takes whole milliseconds, and the controller steps of 0.625 ms."
    #expect(
      differences.filter { $0.hasPrefix("The interval") } == (expected.map { ["The interval is " + $0 + causes] } ?? [])
    )
  }

  @Test(
    "An interval that no controller takes is none",
    arguments: [(19.9, 100), (100, 10240.5), (200, 100), (.nan, .nan), (-.infinity, .infinity), (0, 0)])
  func refused(minimum: Double, maximum: Double) {
    #expect(AdvertisingInterval(minimum: minimum, maximum: maximum) == nil)
  }
}
