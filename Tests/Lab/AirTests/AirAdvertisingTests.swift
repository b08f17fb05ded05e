import BleperaBluetooth
import Testing

@testable import BleperaAir
@testable import BleperaHost

@Suite("Advertising and scanning on the air")
struct AirAdvertisingTests {
  @Test("A scanner receives an advertisement at its interval, the advertising adapter never does")
  func interval() {
    var stage = Stage()
    for adapter in [Stage.phone, Stage.central] { stage.send(.linkLayer(adapter, .scan(Stage.always))) }
    stage.advertise()
    stage.wait(.seconds(128))
    let actions = stage.take()
    // 128 s by 1280 ms and up to 10 ms of delay.
    #expect((99...101).contains(actions.reports(to: Stage.central).count))
    #expect(actions.reports(to: Stage.phone).isEmpty)
    let report = actions.reports(to: Stage.central).first
    #expect(report?.data == [0x03, 0x03, 0x0D, 0x18, 0x02, 0x01, 0x06])
    #expect(report?.scanResponse == [0x06, 0x09] + Array("phone".utf8))
    #expect(report?.rssi == -50)
  }

  @Test("A day has as many advertising events as its intervals and their delays make, to the one")
  func day() {
    var stage = Stage()
    stage.send(.linkLayer(Stage.central, .scan(Stage.always)))
    stage.advertise()
    var random = SplitMix64(seed: 1)
    var (expected, time) = (0, Duration.zero)
    while time <= .seconds(86_400) {
      expected += 1
      time += .milliseconds(1280) + .microseconds(Int.random(in: 0...10_000, using: &random))
    }
    for _ in 0..<24 { stage.wait(.seconds(3600)) }
    let actions = stage.take()
    #expect(expected > 67_000)
    #expect(actions.reports(to: Stage.central).count == expected)
    // The other is that advertising has begun.
    #expect(actions.count == expected + 1)
  }

  @Test("After a process was stopped for eight hours one advertising event is due, and then one an interval")
  func stopped() {
    var stage = Stage()
    stage.send(.linkLayer(Stage.central, .scan(Stage.always)))
    stage.advertise()
    stage.wait(.seconds(10))
    _ = stage.take()
    stage.stop(for: .seconds(8 * 3600))
    let begin = stage.now
    stage.wait(.milliseconds(4))
    #expect(stage.take().count == 1)
    stage.wait((stage.air.nextDeadline ?? .zero) - stage.now)
    #expect((.milliseconds(1280) ... .milliseconds(1290)).contains(stage.now - begin))
    stage.wait(.milliseconds(4))
    #expect(stage.take().reports(to: Stage.central).count == 1)
    // Within an interval nothing is skipped.
    for _ in 0..<3 { stage.stop(for: .milliseconds(1291)) }
    stage.wait(.milliseconds(4))
    #expect(stage.take().count == 3)
  }

  @Test("Each event adds a delay of 0 to 10 ms, which the seed determines")
  func delay() {
    func gaps(seed: UInt64) -> [Duration] {
      var stage = Stage(seed: seed)
      stage.send(
        .linkLayer(
          Stage.phone, .advertise(AdvertisementID(1), AdvertisingPackets(data: [], interval: .milliseconds(100)))))
      return (0..<1000).map { _ in
        let gap = (stage.air.nextDeadline ?? .zero) - stage.now
        stage.wait(gap)
        return gap - .milliseconds(100)
      }
    }
    let delays = gaps(seed: 1)
    #expect(delays.allSatisfy { (.zero ... .milliseconds(10)).contains($0) })
    #expect(delays.contains { $0 < .milliseconds(1) } && delays.contains { $0 > .milliseconds(9) })
    #expect(delays == gaps(seed: 1))
    #expect(delays != gaps(seed: 2))
  }

  @Test("A passive scanner receives no scan response, and a scanner that is off or stopped receives nothing")
  func scanning() {
    var stage = Stage()
    stage.advertise()
    stage.send(.linkLayer(Stage.central, .scan(ScanWindow(isActive: false))))
    stage.wait(.seconds(2))
    #expect(stage.take().reports(to: Stage.central).allSatisfy { $0.scanResponse.isEmpty })
    stage.send(.linkLayer(Stage.central, .scan(nil)))
    stage.wait(.seconds(5))
    #expect(stage.take().reports(to: Stage.central).isEmpty)
  }

  @Test("A scanner with a window of a tenth receives about a tenth of the events")
  func window() {
    var stage = Stage()
    let packets = AdvertisingPackets(data: [], interval: .milliseconds(100))
    stage.send(.linkLayer(Stage.phone, .advertise(AdvertisementID(1), packets)))
    stage.send(.linkLayer(Stage.central, .scan(ScanWindow(interval: .milliseconds(111), window: .milliseconds(11)))))
    stage.wait(.seconds(1000))
    let count = stage.take().reports(to: Stage.central).count
    #expect((700...1200).contains(count), "\(count)")
  }

  @Test("Lost packets are not received, and equal seeds lose the same packets")
  func loss() {
    let counts = (0..<2).map { _ in
      var stage = Stage(conditions: AirConditions(loss: 0.5, fading: 4, interval: .zero))
      stage.send(.linkLayer(Stage.central, .scan(ScanWindow())))
      stage.advertise()
      stage.wait(.seconds(1280))
      return stage.take().reports(to: Stage.central).map(\.rssi)
    }
    #expect((400...600).contains(counts[0].count))
    #expect(counts[0] == counts[1])
    #expect(counts[0].allSatisfy { (-54 ... -46).contains($0) })
    #expect(Set(counts[0]).count > 3)
  }

  @Test("Two adapters have the signal strength that was set for them")
  func rssi() {
    var stage = Stage()
    stage.send(.between(Stage.central, Stage.phone, PairConditions(rssi: -80)))
    for adapter in [Stage.central, Stage.second] { stage.send(.linkLayer(adapter, .scan(ScanWindow()))) }
    stage.advertise()
    stage.wait(.milliseconds(4))
    let actions = stage.take()
    #expect(actions.reports(to: Stage.central).map(\.rssi) == [-80])
    #expect(actions.reports(to: Stage.second).map(\.rssi) == [-50])
  }

  @Test("The end of its lifetime releases an advertisement")
  func timeout() {
    var stage = Stage()
    let packets = AdvertisingPackets(data: [], interval: .milliseconds(1280))
    stage.send(.linkLayer(Stage.phone, .advertise(AdvertisementID(1), packets, lifetime: .seconds(10))))
    stage.wait(.milliseconds(9999))
    #expect(stage.take() == [.linkLayer(Stage.phone, .advertising(AdvertisementID(1)))])
    stage.wait(.milliseconds(1))
    #expect(stage.take() == [.linkLayer(Stage.phone, .advertisementReleased(AdvertisementID(1), events: 8))])
    #expect(stage.air.advertised(by: Stage.phone).isEmpty)
  }

  @Test("Other packets change neither the times of events, nor their number, nor the lifetime", arguments: [nil, 3])
  func replaced(limit: Int?) {
    var stage = Stage()
    stage.send(.linkLayer(Stage.central, .scan(ScanWindow())))
    let packets = (0..<20).map { AdvertisingPackets(data: [UInt8($0)], interval: .milliseconds(1280)) }
    stage.send(
      .linkLayer(Stage.phone, .advertise(AdvertisementID(1), packets[0], lifetime: .seconds(3), events: limit)))
    var seen: [Int: [UInt8]] = [:]
    for step in 1..<20 {
      stage.wait(.milliseconds(200))
      for report in stage.take().reports(to: Stage.central) { seen[step] = report.data }
      stage.send(.linkLayer(Stage.phone, .replacePackets(AdvertisementID(1), packets[step])))
      if step == 13 { #expect(stage.air.advertised(by: Stage.phone).isEmpty == (limit == 3)) }
    }
    // The events are at 0, 1.28 and 2.56 s, and up to 20 ms later.
    #expect(seen == [1: [0], 7: [6], 13: [12]])
    #expect(stage.air.advertised(by: Stage.phone).isEmpty)
    #expect(stage.air.handle(.tick, at: .seconds(60)).isEmpty)
  }

  @Test("A connection ends the advertisement that it answers, and no other")
  func connection() throws {
    var stage = Stage()
    stage.resumes = false
    stage.advertise()
    let connection = try stage.connect()
    #expect(stage.air.advertised(by: Stage.phone).isEmpty)
    stage.advertise(2)
    stage.send(.host(Stage.central, .disconnect(connection)))
    stage.wait(.seconds(1))
    stage.send(.linkLayer(Stage.phone, .withdraw(AdvertisementID(2))))
    #expect(stage.air.advertised(by: Stage.phone).isEmpty)
    stage.advertise(3)
    stage.advertise(4)
    _ = try stage.connect()
    #expect(stage.air.advertised(by: Stage.phone).count == 1)
  }

  @Test("Power off ends advertising for good; to advertise then is refused")
  func power() {
    var stage = Stage()
    stage.advertise()
    stage.send(.linkLayer(Stage.central, .scan(ScanWindow())))
    stage.send(.linkLayer(Stage.phone, .power(false)))
    stage.advertise(2)
    #expect(stage.take().last == .linkLayer(Stage.phone, .advertisementRefused(AdvertisementID(2))))
    stage.send(.linkLayer(Stage.phone, .power(true)))
    stage.wait(.seconds(10))
    #expect(stage.take().reports(to: Stage.central).isEmpty)
  }

  @Test("Extended advertisements reach only those that listen to them")
  func extended() {
    var stage = Stage(adapters: 2)
    stage.send(
      .added(
        Stage.second,
        AdapterDescription(address: Stage.address(Stage.second), name: "old", receivesExtended: false)))
    let data = ADStructure.manufacturerData(companyIdentifier: 1, data: Array(repeating: 7, count: 40))
    let packets = AdvertisingPackets(data: data.bytes, isExtended: true, interval: .milliseconds(1280))
    for adapter in [Stage.central, Stage.second] { stage.send(.linkLayer(adapter, .scan(ScanWindow()))) }
    stage.send(.linkLayer(Stage.phone, .advertise(AdvertisementID(1), packets)))
    stage.wait(.seconds(3))
    let actions = stage.take()
    #expect(!actions.reports(to: Stage.central).isEmpty)
    #expect(actions.reports(to: Stage.second).isEmpty)
  }
}
