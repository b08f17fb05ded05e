import BleperaBluetooth
import BleperaDiscovery
import BleperaSimulation
import Testing

@Suite("Phones and a scanner on the virtual air")
struct DiscoveryCrowdTests {
  private static func setting(
    _ match: DiscoverySetting.Match, interval: Int = 1_022_500, window: Int = 300_000, scanInterval: Int = 320_000
  ) -> DiscoverySetting {
    var setting = DiscoverySetting(interval: interval, scanInterval: scanInterval, window: window)
    (setting.match, setting.data, setting.response, setting.within) = (match, 18, 21, 60_000_000)
    setting.isActive = match == .response
    return setting
  }

  @Test("Any division of the trials gives the same counts")
  func division() {
    let crowd = DiscoveryCrowd(Self.setting(.response, interval: 100_000), phones: 7, seed: 1)
    var joined = DiscoveryCounts()
    for part in [0..<3, 3..<3, 3..<15, 15..<40] { joined += crowd.counts(of: part) }
    #expect(joined == crowd.counts(of: 0..<40))
    #expect(joined.trials == 40 && joined.found > 0)
  }

  @Test("Other seeds give other times")
  func seeds() {
    let times = [1, 2].map { DiscoveryCrowd(Self.setting(.response), phones: 5, seed: $0).times(ofRun: 0) }
    #expect(times[0] != times[1])
  }

  @Test(
    "One phone is found as the model says",
    arguments: [DiscoverySetting.Match.advertisement, .response], DiscoverySetting.Start.allCases)
  func one(match: DiscoverySetting.Match, start: DiscoverySetting.Start) throws {
    var setting = Self.setting(match, interval: 182_500, window: 30_000, scanInterval: 60_000)
    setting.start = start
    let air = try #require(DiscoveryCrowd(setting, phones: 1, seed: 1).counts(of: 0..<1000).mean)
    let model = try #require(DiscoveryModel(setting, seed: 1).counts(of: 0..<20_000).mean)
    // The deviation of the mean of 1000 trials is about 3 %.
    #expect(abs(air - model) < 0.12 * model)
  }

  @Test("A discovery with pauses takes longer")
  func pauses() throws {
    func mean(_ pause: Int) throws -> Double {
      var setting = Self.setting(.response, interval: 500_000)
      setting.pauses = DiscoverySetting.Pauses(scan: 10_240_000, pause: pause)
      return try #require(DiscoveryCrowd(setting, phones: 2, seed: 1).counts(of: 0..<800).mean)
    }
    // A third of arrivals fall into the pause of 5 s, so that the mean is longer by 5 * 5 / 2 / 15.24 s.
    let difference = try mean(5_000_000) - mean(0)
    #expect(difference > 0.4 && difference < 1.3)
  }

  @Test("300 phones need twice the time if the scanner needs the scan response")
  func crowd() throws {
    // Independent runs of another program: 1.55 s by the response, 0.80 s by the advertisement.
    let response = try #require(DiscoveryCrowd(Self.setting(.response), phones: 300, seed: 1).counts(of: 0..<900).mean)
    #expect(abs(response - 1.55) < 0.25)
    let other = try #require(
      DiscoveryCrowd(Self.setting(.advertisement), phones: 300, seed: 1).counts(of: 0..<900).mean)
    #expect(abs(other - 0.80) < 0.15)
  }
}

@Suite("Predictions in stories")
struct AirPredictionTests {
  private static func air(seed: UInt64 = 1) -> Air { Air(on: .virtual, seed: seed) { _ in } }

  @Test("A story can compare a percentile with a limit")
  func percentile() throws {
    let found = try Self.air().predict(interval: .milliseconds(270), scanner: "esphome", needsResponse: true)
    let (half, most) = (try #require(found.percentile(50)), try #require(found.percentile(95)))
    #expect(half < most && most < .milliseconds(300) && found.notFound == 0)
    let mean = try #require(found.mean)
    #expect(mean > .milliseconds(120) && mean < .milliseconds(160))
  }

  @Test("Equal seeds give equal predictions, and a preset is its window")
  func seeds() throws {
    func mean(_ seed: UInt64, _ scanner: String) throws -> Duration? {
      try Self.air(seed: seed).predict(interval: .milliseconds(182.5), scanner: scanner).mean
    }
    #expect(try mean(1, "esphome-30") == mean(1, "30/320"))
    #expect(try mean(1, "esphome-30") != mean(2, "esphome-30"))
  }

  @Test("What a passive scanner cannot receive is not found")
  func passive() throws {
    let found = try Self.air().predict(interval: .milliseconds(270), scanner: "bluez-monitor", needsResponse: true)
    #expect(found.notFound == 1 && found.mean == nil && found.percentile(50) == nil)
  }

  @Test("A wrong argument fails with a sentence")
  func wrong() {
    let air = Self.air()
    let second = Duration.seconds(1)
    #expect(throws: StoryFailure.self) { try air.predict(interval: second, scanner: "esp") }
    #expect(throws: StoryFailure.self) { try air.predict(interval: second, scanner: "400/320") }
    #expect(throws: StoryFailure.self) { try air.predict(interval: second, scanner: "0/0") }
    #expect(throws: StoryFailure.self) { try air.predict(interval: .zero, scanner: "esphome") }
    #expect(throws: StoryFailure.self) { try air.predict(interval: second, scanner: "esphome", loss: .nan) }
    #expect(throws: StoryFailure.self) { try air.predict(interval: second, scanner: "esphome", within: .seconds(1e15)) }
  }
}
