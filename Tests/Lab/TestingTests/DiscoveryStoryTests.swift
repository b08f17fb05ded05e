import BleperaAppLink
import BleperaBluetooth
import BleperaDiscovery
import BleperaHost
import BleperaLoop
import BleperaProfile
import BleperaRules
import BleperaTesting
import TestSupport
import Testing

@testable import BleperaAir
@testable import BleperaSimulation

@Suite("Whole phones find and are found when the model says so")
struct DiscoveryStoryTests {
  private static let service = BluetoothUUID(0x180D as UInt16)

  private static func model(_ setting: DiscoverySetting) -> [Int?] {
    let model = DiscoveryModel(setting, seed: 20)
    return (0..<200_000).map { model.time(ofTrial: $0) }
  }

  /// Lets every receiver receive each sender as if there were no other, and nobody anything while `isSilent`.
  private static func setAir(_ backend: VirtualBackend, isSilent: Bool) {
    backend.virtualLoop.perform { [air = backend.air] in
      air.assumeIsolated {
        var conditions = $0.conditions
        (conditions.collides, conditions.isExclusive, conditions.loss) = (false, false, isSilent ? 1 : 0)
        $0.set(conditions)
      }
    }
  }

  /// Starts senders with the service at uniform phases of their interval.
  private static func addSenders(_ count: Int, _ setting: DiscoverySetting, to backend: VirtualBackend) {
    let packets = AdvertisingPackets(
      data: AdvertisingData([.serviceUUIDs(UUIDList.lists(of: [service])[0], complete: true), .flags(.iPhone)]).bytes,
      scanResponse: [], interval: .microseconds(setting.interval))
    var random = SplitMix64(seed: 64)
    let starts = (0..<count).map { _ in Int.random(in: 0..<setting.interval, using: &random) }.sorted()
    var elapsed = 0
    for start in starts {
      backend.virtualLoop.advance(by: .microseconds(start - elapsed))
      elapsed = start
      backend.virtualLoop.perform { [air = backend.air] in
        air.assumeIsolated {
          let adapter = $0.addAdapter(named: "sender")
          $0.run(.linkLayer(adapter, .advertise($0.newAdvertisement(), packets)))
        }
      }
    }
  }

  /// The time since the hour of a text such as 2026-01-01T00:01:20.123Z.
  private static func milliseconds(_ text: String) throws -> Int {
    let parts = text.dropLast().split(separator: ":").suffix(2)
    let minutes = try #require(parts.first.flatMap { Int($0) })
    return minutes * 60_000 + Int(try #require(parts.last.flatMap { Double($0) }) * 1000 + 0.5)
  }

  /// How an iPhone's app scans.
  enum State: String, CaseIterable {
    case foreground, lit, awake, asleep
  }

  @Test("An iPhone's app discovers 1,000 senders as its preset says", arguments: State.allCases)
  func finder(state: State) async throws {
    let discoveries = Record<String>()
    let air = Air(
      on: .virtual, seed: 26, record: { if $0.event == .discovered { discoveries.add($0.time) } },
      onFailure: { Issue.record("\($0)") })
    let backend = try #require(air.virtualBackend)
    Self.setAir(backend, isSilent: true)
    let preset = try ScannerPreset.find("iphone-\(state)", rules: .newest)
    var setting = DiscoverySetting(interval: 152_500, scanner: preset)
    // The packet has four bytes of the service and three of the flags.
    (setting.start, setting.data, setting.response, setting.within) = (.scanStart, 7, 0, 9_000_000)
    Self.addSenders(1000, setting, to: backend)
    let phone = Phone(on: air, named: "finder")
    let plist = """
      { CFBundleIdentifier = org.example.finder; UIBackgroundModes = (bluetooth-central);
        BLECentral = { ScanServices = (180D); }; }
      """
    phone.launch(try AppDefinition(profile: Array(plist.utf8)))
    await air.advance(by: .seconds(20))
    if state != .foreground { phone.moveToBackground() }
    await air.advance(by: .seconds(30))
    if state == .lit || state == .asleep { phone.lock() }
    await air.advance(by: .seconds(30))
    if state == .lit { phone.unlock() }
    // The scan starts again with Bluetooth.
    phone.switchBluetooth(on: false)
    phone.switchBluetooth(on: true)
    Self.setAir(backend, isSilent: false)
    let zero = backend.virtualLoop.timeOfDay
    #expect(discoveries.elements.isEmpty)
    await air.advance(by: .seconds(9))
    let start = try Self.milliseconds(Timestamp(sinceEpoch: zero).date)
    var times: [Int?] = try discoveries.elements.map { try (Self.milliseconds($0) - start) * 1000 }
    #expect(times.count <= 1000 && times.count > 900)
    times += Array(repeating: nil, count: max(0, 1000 - times.count))
    let difference = distance(times, Self.model(setting))
    #expect(difference < 0.062, "\(state): \(difference)")
  }

  @Test("A scanner finds whole phones in the background as the model with the rules' values says")
  func phones() async throws {
    let air = Air(on: .virtual, seed: 26) { Issue.record("\($0)") }
    let backend = try #require(air.virtualBackend)
    var random = SplitMix64(seed: 64)
    var phones: [Phone] = []
    for number in 0..<60 {
      let phone = Phone(on: air, named: "phone \(number)")
      phone.launch(
        AppDefinition(
          "org.example.app", advertising: [Self.service],
          services: [ServiceDefinition(uuid: Self.service, characteristics: [])]))
      phone.moveToBackground()
      phones.append(phone)
      await air.advance(by: .milliseconds(Int.random(in: 40..<160, using: &random)))
    }
    await air.advance(by: .seconds(60))
    Self.setAir(backend, isSilent: false)
    let rules = RuleSet.newest
    var setting = DiscoverySetting(
      interval: Int(rules.backgroundInterval.value.minimum * 1000), scanInterval: 320_000, window: 30_000)
    setting.delay = Int(rules.advertisingDelay.value.maximum / .microseconds(1))
    (setting.start, setting.match, setting.within) = (.scanStart, .response, 20_000_000)
    let scanner = backend.virtualLoop.perform { [air = backend.air] in
      air.assumeIsolated { $0.addAdapter(named: "scanner") }
    }
    let window = ScanWindow(interval: .milliseconds(320), window: .milliseconds(30))
    var times: [Int?] = []
    for _ in 0..<10 {
      let zero = backend.virtualLoop.perform { [air = backend.air] in
        air.assumeIsolated { air in
          air.startRecord()
          air.run(.linkLayer(scanner, .scan(window)))
          return air.air.adapters[scanner]?.scanStart ?? .zero
        }
      }
      await air.advance(by: .seconds(20))
      let records = backend.virtualLoop.perform { [air = backend.air] in
        air.assumeIsolated { air in
          air.run(.linkLayer(scanner, .scan(nil)))
          return air.takeRecord()
        }
      }
      var found: [AdapterID: Int] = [:]
      for record in records where record.kind == .scanResponse && record.receivers.contains(scanner) {
        // A phone's own packets have an empty response, or another length.
        (setting.response, setting.data) = (max(setting.response, 21), 19)
        guard record.end - record.start == AirTime.advertisement(21) else { continue }
        let time = record.end - Int(zero / .microseconds(1))
        if found[record.sender] == nil { found[record.sender] = time }
      }
      times += found.values.map { $0 } + Array(repeating: nil, count: phones.count - found.count)
      await air.advance(by: .milliseconds(Int.random(in: 100..<1000, using: &random)))
    }
    setting.response = 21
    let difference = distance(times, Self.model(setting))
    // 1.95 times the root of 1/600 + 1/200000.
    #expect(difference < 0.080, "\(difference)")
  }
}
