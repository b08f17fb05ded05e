import BleperaBluetooth
import BleperaDBus
import BleperaDiscovery
import BleperaEventLoop
import BleperaHost
import BleperaLoop
import BusTesting
import Synchronization
import TestSupport
import Testing

@testable import BleperaAir
@testable import BleperaBlueZ
@testable import BleperaVirtualBlueZ

@Suite("The virtual BlueZ finds phones when the model says so", .timeLimit(.minutes(2)))
struct DiscoveryTimesTests {
  private static let count = 300

  @Test("The discovery of a program has the distribution of the preset bluez-discovery")
  func discovery() async throws {
    var conditions = AirConditions(interval: .zero)
    (conditions.collides, conditions.isExclusive) = (false, false)
    let air = SharedAir(loop: TestLoops.first, conditions: conditions, seed: 26)
    let bus = try PrivateBus()
    let server = try await BlueZServer.open(bus.address, on: TestLoops.first, options: .adapters(1), air: air)
    var setting = DiscoverySetting(interval: 1_022_500, scanInterval: 11_250, window: 11_250)
    (setting.start, setting.data, setting.response, setting.within) = (.scanStart, 18, 21, 4_000_000)
    let timers = await start(setting, on: air)
    try await Task.sleep(for: .milliseconds(1300))

    let client = try await DBusConnection.open(bus.address, on: TestLoops.second)
    let manager = CentralManager(connection: client, adapter: "hci0") { _ in }
    try await manager.start()
    await air.startRecord()
    await manager.scan(ScanFilter())
    var records: [AirPacketRecord] = []
    var zero: Int?
    while zero.map({ (records.last?.end ?? $0) - $0 <= setting.within }) ?? true {
      try await Task.sleep(for: .milliseconds(100))
      zero = await air.air.adapters[AdapterID(0)].flatMap { $0.scan == nil ? nil : $0.scanStart.wholeMicroseconds }
      records += await air.takeRecord()
    }
    var times: [AdapterID: Int] = [:]
    for record in records where record.kind == .advertisement && record.receivers == [AdapterID(0)] {
      let time = record.end - (zero ?? 0)
      if time <= setting.within, times[record.sender] == nil { times[record.sender] = time }
    }
    let missing = [Int?](repeating: nil, count: Self.count - times.count)
    let model = DiscoveryModel(setting, seed: 20)
    let difference = distance(Array(times.values) + missing, (0..<200_000).map { model.time(ofTrial: $0) })
    // 1.95 times the root of 1/300 + 1/200000.
    #expect(difference < 0.113, "\(difference)")
    withExtendedLifetime(timers) {}
    await client.close()
    await server.close()
  }

  /// Starts the senders at uniform phases of the interval, in real time.
  private func start(_ setting: DiscoverySetting, on air: SharedAir) async -> [any LoopTimer] {
    let packets = AdvertisingPackets(
      data: Array(repeating: 0, count: setting.data), scanResponse: Array(repeating: 0, count: setting.response),
      interval: .microseconds(setting.interval))
    return await air.isolated { [setting, packets] air in
      var random = SplitMix64(seed: 64)
      return (0..<Self.count).map { _ in
        let phase = Int.random(in: 0..<setting.interval, using: &random)
        return TestLoops.first.schedule(after: .microseconds(phase)) { [weak air] in
          air?.assumeIsolated { air in
            let adapter = air.addAdapter(named: "sender")
            air.run(.linkLayer(adapter, .advertise(air.newAdvertisement(), packets)))
          }
        }
      }
    }
  }
}

extension SharedAir {
  fileprivate func isolated<Value: Sendable>(_ body: @Sendable (isolated SharedAir) -> Value) -> Value { body(self) }
}
