import BleperaAir
import BleperaBluetooth
import BleperaDiscovery
import BleperaHost
import TestSupport
import Testing

@Suite("A host above a controller finds phones when the model says so")
struct HCIDiscoveryTests {
  /// The windows in units of 0.625 ms.
  @Test(
    "1,000 senders in a scan of 12 s have the model's distribution",
    arguments: [
      (152_500, 960, 96, false, 0), (182_500, 512, 48, false, 0), (1_022_500, 96, 48, false, 0),
      (1_022_500, 512, 480, true, 200_000), (182_500, 96, 18, true, 0),
    ])
  func distribution(interval: Int, scanInterval: UInt16, window: UInt16, isResponse: Bool, loss: Int) {
    var setting = DiscoverySetting(
      interval: interval, scanInterval: Int(scanInterval) * 625, window: Int(window) * 625)
    (setting.start, setting.loss, setting.within, setting.isActive) = (.scanStart, loss, 12_000_000, isResponse)
    if isResponse { (setting.match, setting.data, setting.response) = (.response, 18, 21) }

    var edge = Edge()
    var conditions = AirConditions(loss: Double(loss) / 1_000_000)
    (conditions.collides, conditions.isExclusive) = (false, false)
    edge.run(.conditions(conditions))
    var random = SplitMix64(seed: 64)
    let packets = AdvertisingPackets(
      data: Array(repeating: 0, count: setting.data), scanResponse: Array(repeating: 0, count: setting.response),
      interval: .microseconds(interval))
    let phases = (0..<1000).map { _ in
      Int.random(in: 0..<interval + Int.random(in: 0...setting.delay, using: &random), using: &random)
    }
    var elapsed = 0
    for (number, phase) in phases.sorted().enumerated() {
      edge.wait(.microseconds(phase - elapsed))
      elapsed = phase
      let id = AdapterID(number + 2)
      edge.run(.added(id, .controller(address: DeviceAddress(bits: UInt64(number)), name: "sender")))
      edge.run(.linkLayer(id, .advertise(AdvertisementID(number + 1000), packets)))
    }
    edge.wait(.seconds(2))

    let parameters = LittleEndian.bytes(scanInterval) + LittleEndian.bytes(window) + [0, 0]
    #expect(edge.command(0, 0x200B, [isResponse ? 1 : 0] + parameters) == 0)
    _ = edge.take(0)
    #expect(edge.command(0, 0x200C, [1, 0]) == 0)
    let zero = edge.now
    edge.wait(.seconds(12))
    // LE Advertising Reports: the type, the kind of address and the address follow the number of reports.
    var times: [Int?] = Array(repeating: nil, count: 1000)
    for (time, bytes) in edge.sides[0].packets where bytes.count > 12 && bytes[0] == 0x3E && bytes[2] == 0x02 {
      guard (bytes[4] == 4) == isResponse else { continue }
      let number: Int = LittleEndian.number(bytes[6..<8])
      if times[number] == nil { times[number] = Int((time - zero) / .microseconds(1)) }
    }
    let model = DiscoveryModel(setting, seed: 20)
    let difference = distance(times, (0..<200_000).map { model.time(ofTrial: $0) })
    #expect(difference < 0.062, "\(difference)")
  }
}
