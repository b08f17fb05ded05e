import BleperaBluetooth
import BleperaDiscovery
import BleperaRules
import Testing

@Suite("The presets of scanners")
struct ScannerPresetTests {
  @Test("Each preset has a scanner that exists, and a source", arguments: ScannerPreset.names)
  func plausible(name: String) throws {
    let preset = try ScannerPreset.find(name, rules: .newest)
    #expect(preset.name == name)
    #expect(DiscoverySetting(interval: 100_000, scanner: preset).fault == nil)
    #expect(!preset.source.isEmpty)
  }

  @Test("A release of Android has the windows of its time")
  func android() throws {
    let cases: [(name: String, release: Int, window: Int, interval: Int)] = [
      ("android-low-power", 5, 500_000, 5_000_000), ("android-low-power", 8, 500_000, 5_000_000),
      ("android-low-power", 9, 512_000, 5_120_000), ("android-low-power", 12, 512_000, 5_120_000),
      ("android-low-power", 13, 140_000, 1_400_000), ("android-balanced", 12, 1_024_000, 4_096_000),
      ("android-balanced", 16, 183_000, 730_000), ("android-low-latency", 8, 5_000_000, 5_000_000),
      ("android-screen-off", 13, 512_000, 10_240_000),
    ]
    for (name, release, window, interval) in cases {
      let preset = try ScannerPreset.find(name, rules: .newest, android: release)
      #expect((preset.window, preset.scanInterval) == (window, interval), "\(name) of \(release)")
    }
    #expect(throws: ScannerPreset.Unusable.self) {
      try ScannerPreset.find("android-screen-off", rules: .newest, android: 12)
    }
  }

  @Test("The presets of iPhones are the values of R16", arguments: IOSVersion.allCases)
  func iPhones(version: IOSVersion) throws {
    let rules = RuleSet(version)
    func isEqual(_ name: String, _ timing: ScanTiming, isActive: Bool) throws -> Bool {
      let preset = try ScannerPreset.find(name, rules: rules)
      return Duration.microseconds(preset.window) == timing.window
        && Duration.microseconds(preset.scanInterval) == timing.interval && preset.isActive == isActive
    }
    #expect(try isEqual("iphone-foreground", rules.foregroundScan.value, isActive: true))
    #expect(try isEqual("iphone-awake", rules.backgroundScan.value, isActive: true))
    #expect(try isEqual("iphone-asleep", rules.sleepScan.value, isActive: false))
    if rules.litScan.value.time > .zero {
      #expect(try isEqual("iphone-lit", rules.litScan.value.timing, isActive: true))
    } else {
      #expect(throws: ScannerPreset.Unusable.self) { try ScannerPreset.find("iphone-lit", rules: rules) }
    }
    let passive = rules.with(backgroundScanResponses: .never)
    #expect(try !ScannerPreset.find("iphone-awake", rules: passive).isActive)
    #expect(try ScannerPreset.find("iphone-foreground", rules: passive).isActive)
  }

  @Test("An unknown preset is refused with the names of all")
  func unknown() {
    do {
      _ = try ScannerPreset.find("esp", rules: .newest)
      Issue.record("accepted")
    } catch {
      for name in ScannerPreset.names { #expect(error.description.contains(name)) }
    }
  }

  @Test(
    "A window and a scan interval are a scanner",
    arguments: [
      ("30/320", true), ("11.25/1280", true), ("30", false), ("/", false), ("a/b", false), ("30/320/1", false),
    ])
  func timing(text: String, isTiming: Bool) {
    #expect((ScannerPreset(timing: text) != nil) == isTiming)
  }

  @Test("A discovery of BlueZ pauses without a filter, which makes it longer")
  func pauses() throws {
    func mean(_ name: String) throws -> Double {
      let setting = DiscoverySetting(interval: 1_022_500, scanner: try .find(name, rules: .newest))
      return try #require(DiscoveryModel(setting, seed: 3).counts(of: 0..<2000).mean)
    }
    // A third of arrivals fall into the pause of 5 s, so that the mean is longer by 5 * 5 / 2 / 15.24 s.
    let difference = try mean("bluez-discovery") - mean("bluez-discovery-filtered")
    #expect(difference > 0.5 && difference < 1.5)
  }
}

@Suite("Interval traps")
struct IntervalTrapsTests {
  private static func traps(_ interval: Int, _ window: Int, _ scanInterval: Int) -> IntervalTraps {
    var setting = DiscoverySetting(interval: interval, scanInterval: scanInterval, window: window)
    setting.within = 600_000_000
    return IntervalTraps(near: setting, seed: 1)
  }

  @Test("318.75 ms is a trap of 30 of 320 ms, and a shorter or longer interval is better")
  func trap() throws {
    let traps = Self.traps(318_750, 30_000, 320_000)
    let better = try #require(traps.better)
    #expect(better.mean * IntervalTraps.factor <= traps.mean)
    #expect(!(310_000...325_000).contains(better.intervals.lowerBound))
  }

  @Test("Near 1022.5 ms there are traps of 30 of 320 ms, where the interval is a third of a multiple of 320 ms")
  func near() {
    let traps = Self.traps(1_022_500, 30_000, 320_000)
    #expect(traps.better == nil)
    #expect(!traps.traps.isEmpty)
    // 10/3 of 320 ms are 1066.7 ms, from which the mean of the random delay is taken.
    #expect(traps.traps.contains { $0.intervals.overlaps(1_058_000...1_064_000) })
    for trap in traps.traps {
      #expect(trap.mean >= IntervalTraps.factor * traps.mean)
      let center = Double(1_022_500)
      #expect(abs(Double(trap.intervals.lowerBound) - center) <= IntervalTraps.reach * center)
      #expect(abs(Double(trap.intervals.upperBound) - center) <= IntervalTraps.reach * center)
    }
  }

  @Test("A scanner that always receives has no traps", arguments: [100_000, 318_750, 1_022_500])
  func none(interval: Int) {
    let traps = Self.traps(interval, 320_000, 320_000)
    #expect(traps.traps.isEmpty && traps.better == nil)
  }
}

@Suite("The chances of the overflow area")
struct OverflowChanceTests {
  @Test("A bit is set by others", arguments: [(0, 0), (5, 0.038), (32, 0.22), (89, 0.50)])
  func others(count: Int, chance: Double) {
    #expect(abs(OverflowChance.isSet(byOthers: count) - chance) < 0.005)
  }

  @Test(
    "Two UUIDs share a bit", arguments: [(0, 0), (1, 0), (5, 0.076), (10, 0.30), (14, 0.52), (20, 0.79), (129, 1)])
  func shared(count: Int, chance: Double) {
    #expect(abs(OverflowChance.isShared(among: count) - chance) < 0.01)
  }
}
