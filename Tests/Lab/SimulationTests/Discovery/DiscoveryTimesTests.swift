import BleperaBluetooth
import BleperaDiscovery
import BleperaSimulation
import TestSupport
import Testing

@Suite("The air finds phones when the model says so")
struct DiscoveryTimesTests {
  /// Five settings that tell wrong engines from a right one, from the start of a scan.
  private static let settings = [
    setting(152_500, 600_000, 60_000), setting(182_500, 320_000, 30_000), setting(1_022_500, 60_000, 30_000),
    setting(1_022_500, 320_000, 300_000, isResponse: true, loss: 200_000),
    setting(182_500, 60_000, 11_250, isResponse: true),
  ]
  /// Three numbers that were chosen before the first run.
  private static let (modelSeed, airSeed, wrongSeed): (UInt64, UInt64, UInt64) = (20, 26, 64)

  private static func setting(
    _ interval: Int, _ scanInterval: Int, _ window: Int, isResponse: Bool = false, loss: Int = 0
  ) -> DiscoverySetting {
    var setting = DiscoverySetting(interval: interval, scanInterval: scanInterval, window: window)
    (setting.start, setting.loss, setting.within) = (.scanStart, loss, 120_000_000)
    if isResponse { (setting.match, setting.data, setting.response) = (.response, 18, 21) }
    setting.isActive = isResponse
    return setting
  }

  private static func model(_ setting: DiscoverySetting) -> [Int?] {
    let model = DiscoveryModel(setting, seed: modelSeed)
    return (0..<200_000).map { model.time(ofTrial: $0) }
  }

  private static func air(_ setting: DiscoverySetting, phones: Int = 10_000, seed: UInt64 = airSeed) -> [Int?] {
    DiscoveryCrowd(setting, phones: phones, areAlone: true, seed: seed).times(ofRun: 0)
  }

  @Test("The times of 10,000 senders have the model's distribution", arguments: settings)
  func distributions(setting: DiscoverySetting) {
    let difference = distance(Self.air(setting), Self.model(setting))
    #expect(difference < 0.020, "\(setting.key): \(difference)")
  }

  /// A fault that an engine could have.
  enum Fault: CaseIterable {
    case noDelay, shortDelay, longDelay, otherStart, otherMatch, noLoss

    func apply(to setting: inout DiscoverySetting) {
      switch self {
      case .noDelay: setting.delay = 0
      case .shortDelay: setting.delay = 5_000
      case .longDelay: setting.delay = 20_000
      case .otherStart: setting.start = .arrival
      case .otherMatch:
        setting.isActive = true
        setting.match = setting.match == .response ? .advertisement : .response
      case .noLoss: setting.loss = 0
      }
    }
  }

  @Test("A wrong engine fails in one of the settings at least", arguments: Fault.allCases)
  func faults(fault: Fault) {
    let differences = Self.settings.map { setting in
      var wrong = setting
      fault.apply(to: &wrong)
      guard wrong != setting else { return 0.0 }
      return distance(Self.air(wrong, phones: 4000, seed: Self.wrongSeed), Self.model(setting))
    }
    // The limit of 4,000 senders is higher: 1.95 times the root of 1/4000 + 1/200000.
    #expect(differences.contains { $0 > 0.032 }, "\(differences)")
  }

  @Test("Among 1,000 phones the mean is within 8 % of the model with the formula's loss")
  func crowd() throws {
    var setting = DiscoverySetting(interval: 1_022_500, scanInterval: 320_000, window: 300_000)
    (setting.isActive, setting.within) = (false, 60_000_000)
    let air = try #require(DiscoveryCrowd(setting, phones: 1000, seed: Self.airSeed).counts(of: 0..<8000).mean)
    let loss = Collisions.loss(phones: 1000, length: AirTime.advertisement(31), interval: setting.interval)
    setting.loss = Int((loss * 1_000_000).rounded())
    let model = try #require(DiscoveryModel(setting, seed: Self.modelSeed).counts(of: 0..<200_000).mean)
    #expect(abs(model / air - 1) < 0.08, "\(model), \(air)")
  }
}
