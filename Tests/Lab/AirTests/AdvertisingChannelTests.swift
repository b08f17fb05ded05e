import BleperaBluetooth
import Testing

@testable import BleperaAir
@testable import BleperaHost

@Suite("Advertising channels: their packets, scanners, collisions and exchanges")
struct AdvertisingChannelTests {
  private static let packets = AdvertisingPackets(
    data: [UInt8](repeating: 0, count: 31), scanResponse: [UInt8](repeating: 0, count: 31),
    interval: .milliseconds(100))

  /// A stage with a record of all packets.
  private static func stage(_ conditions: AirConditions = AirConditions(interval: .zero), adapters: Int = 3) -> Stage {
    var stage = Stage(conditions: conditions, adapters: adapters)
    stage.air.startRecord()
    return stage
  }

  private static func advertise(_ number: Int, _ packets: AdvertisingPackets = packets, in stage: inout Stage) {
    stage.send(.linkLayer(AdapterID(number), .advertise(AdvertisementID(number), packets)))
  }

  @Test("An event has a packet on 37, 38 and 39, and a scanner moves one channel each interval")
  func channels() throws {
    var stage = Self.stage()
    Self.advertise(0, in: &stage)
    let window = ScanWindow(interval: .milliseconds(320), window: .milliseconds(30), isActive: false)
    stage.send(.linkLayer(Stage.central, .scan(window)))
    stage.wait(.seconds(60))
    let records = stage.air.takeRecord()
    #expect(records.count > 1500 && records.allSatisfy { $0.kind == .advertisement && $0.sender == Stage.phone })
    for event in stride(from: 0, to: records.count - 2, by: 3) {
      let packets = records[event..<event + 3]
      #expect(packets.map(\.channel.number) == [37, 38, 39])
      #expect(packets.map { $0.end - $0.start } == [376, 376, 376])
      #expect(zip(packets.dropFirst(), packets).allSatisfy { $0.start - $1.start == 1126 })
    }
    // The scan started at zero.
    for record in records {
      let scanner = try #require(record.scanners[Stage.central])
      #expect(scanner.number == 37 + record.start / 320_000 % 3)
      let place = record.start % 320_000
      let isReceived = scanner == record.channel && place + 376 <= 30_000
      #expect(record.receivers == (isReceived ? [Stage.central] : []))
    }
    #expect(records.contains { !$0.receivers.isEmpty })
  }

  @Test(
    "Packets that overlap by a microsecond are lost on each channel, and those that touch are not",
    arguments: [(375, true), (376, false), (0, true), (1126 - 376, false)])
  func collision(distance: Int, isHit: Bool) {
    var stage = Self.stage()
    for adapter in [Stage.central] {
      stage.send(.linkLayer(adapter, .scan(ScanWindow(interval: .seconds(9), window: .seconds(9), isActive: false))))
    }
    Self.advertise(0, in: &stage)
    stage.wait(.microseconds(distance))
    Self.advertise(2, in: &stage)
    stage.wait(.milliseconds(5))
    let records = stage.air.takeRecord()
    #expect(records.count == 6)
    #expect(records.allSatisfy { $0.isHit == isHit })
    #expect(stage.take().reports(to: Stage.central).count == (isHit ? 0 : 2))
  }

  @Test("With the capture effect the packet that is stronger by enough is received", arguments: [(21, 1), (20, 0)])
  func capture(difference: Int, received: Int) {
    var conditions = AirConditions(interval: .zero)
    conditions.capture = 21
    var stage = Self.stage(conditions)
    stage.send(.between(Stage.central, Stage.phone, PairConditions(rssi: -50)))
    stage.send(.between(Stage.central, Stage.second, PairConditions(rssi: -50 - difference)))
    stage.send(.linkLayer(Stage.central, .scan(Stage.always)))
    let passive = ScanWindow(interval: .seconds(9), window: .seconds(9), isActive: false)
    stage.send(.linkLayer(Stage.central, .scan(passive)))
    Self.advertise(0, in: &stage)
    Self.advertise(2, in: &stage)
    stage.wait(.milliseconds(5))
    #expect(stage.take().reports(to: Stage.central).map(\.rssi) == [Int](repeating: -50, count: received))
  }

  @Test("An exchange takes its time, and what follows in the event begins 150 us after the response")
  func exchange() {
    var stage = Self.stage()
    stage.send(.linkLayer(Stage.central, .scan(Stage.always)))
    Self.advertise(0, in: &stage)
    stage.wait(.milliseconds(5))
    let records = stage.air.takeRecord()
    #expect(records.map(\.kind) == [.advertisement, .scanRequest, .scanResponse, .advertisement, .advertisement])
    #expect(records.map(\.start) == [0, 526, 852, 1378, 2504])
    #expect(records.map(\.end) == [376, 702, 1228, 1754, 2880])
    #expect(records.map(\.channel.number) == [37, 37, 37, 38, 39])
    #expect(stage.take().reports(to: Stage.central).map(\.hasResponse) == [true])
  }

  @Test("Two scanners that ask at once on one channel receive no response; with backoff they do in time")
  func backoff() {
    for hasBackoff in [false, true] {
      var conditions = AirConditions(interval: .zero)
      conditions.hasBackoff = hasBackoff
      var stage = Stage(conditions: conditions)
      for (number, adapter) in [Stage.central, Stage.second].enumerated() {
        // Not in the same instant, but on the same channel.
        stage.wait(.milliseconds(number))
        stage.send(.linkLayer(adapter, .scan(Stage.always)))
      }
      Self.advertise(0, in: &stage)
      stage.wait(.seconds(60))
      let reports = stage.take()
      for adapter in [Stage.central, Stage.second] {
        #expect(reports.reports(to: adapter).count > 500)
        #expect(reports.reports(to: adapter).contains(where: \.hasResponse) == hasBackoff)
      }
    }
  }

  @Test("A scanner in an exchange receives no packet of others, unless the air lets it", arguments: [true, false])
  func busy(isExclusive: Bool) {
    var conditions = AirConditions(interval: .zero)
    (conditions.isExclusive, conditions.collides) = (isExclusive, false)
    var stage = Self.stage(conditions)
    stage.send(.linkLayer(Stage.central, .scan(Stage.always)))
    Self.advertise(0, in: &stage)
    stage.wait(.microseconds(800))
    Self.advertise(2, in: &stage)
    stage.wait(.milliseconds(5))
    #expect(stage.take().reports(to: Stage.central).count == (isExclusive ? 1 : 2))
  }

  @Test(
    "The share of packets that are hit is within 1.5 points of the formula",
    arguments: [(1_022_500, 60), (182_500, 20)])
  func crowd(interval: Int, seconds: Int) {
    for (phones, expected) in [
      (100, interval == 1_022_500 ? 7.0 : 32.8), (300, interval == 1_022_500 ? 19.7 : 69.9),
      (1000, interval == 1_022_500 ? 51.9 : 98.2),
    ] {
      var shares: [Double] = []
      for seed in 1...8 as ClosedRange<UInt64> {
        var air = VirtualAir(conditions: AirConditions(interval: .zero), seed: seed)
        var random = SplitMix64(seed: seed)
        air.startRecord()
        let packets = AdvertisingPackets(
          data: [UInt8](repeating: 0, count: 31), isConnectable: false, interval: .microseconds(interval))
        let starts = (0..<phones).map { _ in Int.random(in: 0..<interval, using: &random) }.sorted()
        for (number, start) in starts.enumerated() {
          let address = DeviceAddress(bits: UInt64(number))
          _ = air.handle(
            .added(AdapterID(number), AdapterDescription(address: address, name: "")), at: .microseconds(start))
          _ = air.handle(
            .linkLayer(AdapterID(number), .advertise(AdvertisementID(number), packets)), at: .microseconds(start))
        }
        var (packetCount, hitCount) = (0, 0)
        while let deadline = air.nextDeadline, deadline <= .seconds(seconds) {
          _ = air.handle(.tick, at: deadline)
          for record in air.takeRecord() where record.start > interval {
            (packetCount, hitCount) = (packetCount + 1, hitCount + (record.isHit ? 1 : 0))
          }
        }
        shares.append(100 * Double(hitCount) / Double(packetCount))
      }
      let mean = shares.reduce(0, +) / Double(shares.count)
      #expect(abs(mean - expected) < 1.5, "\(phones) phones: \(mean) of \(expected)")
    }
  }
}
