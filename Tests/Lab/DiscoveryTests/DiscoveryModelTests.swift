import BleperaBluetooth
import BleperaDiscovery
import FoundationEssentials
import Testing

@Suite("The fast model of discovery")
struct DiscoveryModelTests {
  /// Each line: a setting's key, and the times of its first 200 trials with the seed 1, as an independent program in
  /// another language computes them.
  private static let lines: [[String]] = {
    let path = #filePath.split(separator: "/").dropLast().joined(separator: "/")
    let data = try? Data(contentsOf: URL(fileURLWithPath: "/\(path)/times.csv"))
    return String(decoding: data ?? Data(), as: UTF8.self).split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
  }()

  private static func setting(_ key: String) throws -> DiscoverySetting {
    let parts = key.split(separator: "|").map(String.init)
    func number(_ index: Int) throws -> Int { try #require(Int(parts[index])) }
    var setting = DiscoverySetting(interval: try number(0), scanInterval: try number(1), window: try number(2))
    setting.delay = try number(3)
    setting.match = try #require(DiscoverySetting.Match(rawValue: parts[4]))
    setting.start = try #require(DiscoverySetting.Start(rawValue: parts[5]))
    (setting.loss, setting.data, setting.response) = (try number(6), try number(7), try number(8))
    setting.spacing = try number(9)
    (setting.isActive, setting.hasBackoff) = (parts[10] == "1", parts[11] == "1")
    setting.within = try number(12)
    return setting
  }

  @Test("Each time is that of an independent program, to the microsecond")
  func times() throws {
    #expect(Self.lines.count == 31)
    for line in Self.lines {
      let setting = try Self.setting(line[0])
      #expect(setting.key == line[0])
      let model = DiscoveryModel(setting, seed: 1)
      let times = (0..<200).map { model.time(ofTrial: $0).map(String.init) ?? "" }
      #expect(times == Array(line.dropFirst()), "\(line[0])")
    }
  }

  @Test("A trial that is not found within its time is not found, and a passive scanner receives no response")
  func notFound() {
    var setting = DiscoverySetting(interval: 1_022_500, scanInterval: 320_000, window: 30_000)
    setting.match = .response
    setting.isActive = false
    #expect(DiscoveryModel(setting, seed: 1).time(ofTrial: 0) == nil)
    (setting.isActive, setting.within) = (true, 1_000_000)
    let model = DiscoveryModel(setting, seed: 1)
    let times = (0..<1000).map { model.time(ofTrial: $0) }
    #expect(times.contains(nil))
    #expect(times.compactMap(\.self).allSatisfy { $0 <= 1_000_000 })
    #expect(times.contains { $0 != nil })
  }

  @Test("Without a random delay and from the first packet, the mean and the longest time are the exact ones")
  func exact() {
    // Mean and longest time in seconds, and the share that is never found, from intervals of phases of whole
    // microseconds. Time zero is the first packet, so the phase of the scanner alone is random: the model's arrival, less
    // the time to the first packet.
    let cases: [(interval: Int, scanInterval: Int, window: Int, mean: Double, longest: Double, never: Double)] = [
      (152_500, 320_000, 30_000, 1.2832, 3.050, 0),
      (417_500, 320_000, 30_000, 2.1831, 9.185, 0),
      (1_022_500, 320_000, 30_000, 9.7820, 30.675, 0),
      (760_000, 320_000, 30_000, 3.2331, 17.480, 0.2031),
      (1_980_000, 600_000, 60_000, 8.8752, 17.820, 0.014594),
    ]
    for one in cases {
      var setting = DiscoverySetting(interval: one.interval, scanInterval: one.scanInterval, window: one.window)
      (setting.delay, setting.within) = (0, 60_000_000)
      let model = DiscoveryModel(setting, seed: 1)
      let trials = 100_000
      var (sum, longest, found) = (0, 0, 0)
      for trial in 0..<trials {
        guard let time = model.time(fromFirstPacketOfTrial: trial) else { continue }
        (sum, longest, found) = (sum + time, max(longest, time), found + 1)
      }
      let mean = Double(sum) / Double(found) / 1_000_000
      #expect(abs(mean / one.mean - 1) < 0.005, "\(one): \(mean)")
      #expect(abs(Double(longest) / 1_000_000 / one.longest - 1) < 0.005, "\(one): \(longest)")
      #expect(abs(1 - Double(found) / Double(trials) - one.never) < 0.002, "\(one): \(found)")
    }
  }

  @Test(
    "Mean and 85th percentile are within 3 % of those that Blender, a simulator of others, publishes",
    arguments: [
      (1980, 600, 60, 0, 11.672, 20.66), (1860, 5120, 512, 0, 9.820, 17.03), (2050, 5120, 512, 0, 45.194, 115.06),
      (1022, 320, 30, 0, 7.444, 13.92), (1022, 320, 30, 200_000, 9.899, 17.89), (1022, 60, 30, 0, 1.926, 4.13),
      (152, 320, 30, 0, 3.101, 5.87), (1022, 320, 300, 0, 0.580, 0.93),
    ])
  func published(
    interval: Int, scanInterval: Int, window: Int, loss: Int, mean: Double, percentile: Double
  ) throws {
    var setting = DiscoverySetting(interval: interval * 1000, scanInterval: scanInterval * 1000, window: window * 1000)
    setting.loss = loss
    let counts = DiscoveryModel(setting, seed: 1).counts(of: 0..<200_000)
    #expect(abs(try #require(counts.mean) / mean - 1) < 0.03, "\(counts.mean ?? 0)")
    let value = try #require(counts.percentiles([85])[0])
    #expect(abs(value / percentile - 1) < 0.03, "\(value)")
  }

  @Test("A scan that ends and starts again finds nothing in its pauses")
  func pauses() {
    var setting = DiscoverySetting(interval: 1_022_500, scanInterval: 11_250, window: 11_250)
    setting.pauses = .init(scan: 2_000_000, pause: 3_000_000)
    setting.start = .scanStart
    let model = DiscoveryModel(setting, seed: 1)
    let times = (0..<10_000).compactMap { model.time(ofTrial: $0) }
    #expect(times.allSatisfy { $0 % 5_000_000 <= 2_000_000 })
    #expect(times.contains { $0 > 5_000_000 })
    setting.pauses = .init(scan: 2_000_000, pause: 0)
    let without = DiscoveryModel(setting, seed: 1)
    #expect((0..<10_000).allSatisfy { without.time(ofTrial: $0) != nil })
  }
}
