import BleperaBluetooth
import BleperaController
import BleperaHCIProtocol
import BleperaHost
import Testing

@Suite struct AdvertisingTests {
  private let first = AdvertisementID(1)
  private let second = AdvertisementID(2)

  private func bench(sets: UInt8 = 4, isLegacy: Bool = false) -> LayerBench {
    var options = ScriptedController.Options()
    (options.sets, options.hasExtended) = (sets, !isLegacy)
    var bench = LayerBench(options)
    bench.controller.log = []
    return bench
  }

  @Test func `A set is made, and is on`() {
    var bench = bench()
    bench.run(.advertise(first, LayerBench.app))
    #expect(bench.controller.log == [0x2005, 0x2036, 0x2035, 0x2037, 0x2038, 0x2039])
    #expect(bench.events == [.advertising(first)])
    let set = bench.controller.sets[0]
    #expect(set?.parameters.properties.rawValue == 0x13)
    #expect(set?.parameters.least == 290 && set?.parameters.most == 290)
    #expect(set?.address == LayerBench.address)
    bench.controller.log = []
    bench.run(.withdraw(first))
    bench.wait(.seconds(2))
    #expect(bench.controller.log == [0x2039, 0x203C])
    #expect(bench.controller.sets.isEmpty)
  }

  @Test func `Without sets the legacy commands are used`() {
    var bench = bench(isLegacy: true)
    bench.run(.advertise(first, LayerBench.app))
    #expect(bench.controller.log == [0x2005, 0x2006, 0x2008, 0x2009, 0x200A])
    #expect(bench.controller.randomAddress == LayerBench.address)
    #expect(bench.events == [.advertising(first)])
  }

  @Test(
    "The kind of PDU follows from the packets",
    arguments: [
      (true, false, [UInt8](), 0x13), (false, false, [], 0x10), (false, false, [2, 9, 65], 0x12),
      (true, true, [], 0x01),
      (false, true, [], 0x00),
    ] as [(Bool, Bool, [UInt8], UInt16)])
  func properties(_ isConnectable: Bool, _ isExtended: Bool, _ response: [UInt8], _ properties: UInt16) {
    var bench = bench()
    let packets = AdvertisingPackets(
      data: [2, 1, 6], scanResponse: response, isConnectable: isConnectable, isExtended: isExtended,
      interval: .milliseconds(100))
    bench.run(.advertise(first, packets))
    #expect(bench.controller.sets[0]?.parameters.properties.rawValue == properties)
    #expect(bench.controller.sets[0]?.response == response)
  }

  @Test func `Data alone changes without a gap, and a set is used again for the next advertisement`() {
    var bench = bench()
    bench.run(.advertise(first, LayerBench.app))
    bench.controller.log = []
    var packets = AdvertisingPackets(data: [2, 1, 6], scanResponse: [2, 9, 0x41], interval: .microseconds(181_250))
    bench.run(.replacePackets(first, packets))
    #expect(bench.controller.log == [0x2037])
    packets.scanResponse = []
    bench.run(.replacePackets(first, packets))
    #expect(bench.controller.log == [0x2037, 0x2038])
    bench.controller.log = []
    bench.run(.withdraw(first))
    bench.run(.advertise(second, packets))
    #expect(bench.controller.log == [0x2039, 0x2039])
    #expect(bench.events == [.advertising(first), .advertising(second)])
  }

  @Test func `A new address is set while the set is off`() {
    for isLegacy in [false, true] {
      var bench = bench(isLegacy: isLegacy)
      bench.run(.advertise(first, LayerBench.app))
      bench.run(.scan(ScanWindow()))
      let address = DeviceAddress(bits: 0x4B_0000_0000_01, isRandom: true)
      bench.call { $0.setAddress(address, at: $1) }
      #expect(bench.controller.sets[0]?.address == address && bench.controller.sets[0]?.isOn == true)
      #expect(bench.controller.randomAddress == address && bench.controller.isScanning)
      #expect(bench.refusals == [])
      #expect(bench.events == [.advertising(first)])
    }
  }

  @Test func `Addresses of an advertisement alone change every 15 minutes`() {
    var bench = bench()
    bench.run(.advertise(first, LayerBench.own))
    let address = bench.controller.sets[0]?.address
    #expect(address.map { $0.bits >> 46 } == 0b11)
    bench.wait(.seconds(899))
    #expect(bench.controller.sets[0]?.address == address)
    bench.wait(.seconds(2))
    #expect(bench.controller.sets[0]?.address != address && bench.onAir.count == 1)
  }

  @Test func `More advertisements than sets take turns, and the app has the larger share`() {
    for isLegacy in [false, true] {
      var bench = bench(sets: 1, isLegacy: isLegacy)
      bench.run(.advertise(first, LayerBench.app))
      bench.run(.advertise(second, LayerBench.own))
      var counts: [[UInt8]: Int] = [:]
      for _ in 0..<1000 {
        bench.wait(.milliseconds(10))
        for data in bench.onAir { counts[data, default: 0] += 1 }
      }
      let (app, own) = (counts[LayerBench.app.data] ?? 0, counts[LayerBench.own.data] ?? 0)
      #expect(app + own == 1000)
      #expect(own >= 100 && app > 4 * own, "\(counts)")
      #expect(bench.events == [.advertising(first), .advertising(second)])
      bench.run(.withdraw(second))
      bench.wait(.seconds(1))
      #expect(bench.onAir == [LayerBench.app.data])
      #expect(bench.refusals == [])
    }
  }

  @Test func `A refused advertisement is off, and the next one is on`() {
    var options = ScriptedController.Options()
    options.refused[0x2037] = 0x12
    var bench = LayerBench(options)
    bench.run(.advertise(first, LayerBench.app))
    #expect(bench.events == [.advertisementRefused(first)])
    #expect(bench.refusals == [ControllerRefusal(0x2037, .status(0x12))])
    #expect(bench.controller.sets.isEmpty)
    bench.controller.options.refused = [:]
    bench.run(.advertise(second, LayerBench.app))
    #expect(bench.events.last == .advertising(second))
  }

  @Test func `A controller that cannot advertise beside a link does so after the link`() {
    var bench = bench(isLegacy: true)
    bench.run(.advertise(first, LayerBench.app))
    bench.air { $0.central(.static(7), connectsTo: 0, handle: 0x40) }
    bench.controller.options.refused[0x200A] = 0x0C
    bench.run(.advertise(second, LayerBench.app))
    #expect(bench.onAir.isEmpty && bench.refusals == [ControllerRefusal(0x200A, .status(0x0C))])
    bench.wait(.seconds(10))
    bench.controller.options.refused = [:]
    bench.air { $0.end(0x40, reason: 0x13) }
    #expect(bench.onAir == [LayerBench.app.data])
    #expect(bench.events.last == .advertising(second))
  }

  @Test func `A lifetime and a number of events are the controller's`() {
    var bench = bench()
    bench.run(.advertise(first, LayerBench.app, lifetime: .seconds(1), events: 5))
    bench.air {
      $0.sets[0]?.isOn = false
      $0.send(HCISetTerminated(0, status: 0x43, events: 5))
    }
    #expect(bench.events == [.advertising(first), .advertisementReleased(first, events: 5)])
    bench.wait(.seconds(2))
    #expect(bench.controller.sets.isEmpty)
  }

  @Test func `Long data goes to the controller in parts`() {
    var bench = bench()
    let data = (0..<600).map { UInt8(truncatingIfNeeded: $0) }
    bench.run(.advertise(first, AdvertisingPackets(data: data, isExtended: true, interval: .milliseconds(100))))
    #expect(bench.onAir == [data])
    bench.run(
      .replacePackets(first, AdvertisingPackets(data: data.reversed(), isExtended: true, interval: .milliseconds(100))))
    #expect(bench.onAir == [data.reversed()])
    #expect(bench.refusals == [])
  }

  @Test func `Packets that a controller cannot have are refused`() {
    for (isLegacy, isExtended, count) in [(true, true, 3), (true, false, 32), (false, false, 32)] {
      var bench = bench(isLegacy: isLegacy)
      let packets = AdvertisingPackets(
        data: [UInt8](repeating: 0, count: count), isExtended: isExtended, interval: .milliseconds(100))
      bench.run(.advertise(first, packets))
      #expect(bench.events == [.advertisementRefused(first)])
      #expect(bench.refusals.map(\.reason) == [.unsupported])
    }
  }
}
