import BleperaBluetooth
import BleperaController
import BleperaHCIProtocol
import BleperaHost
import Testing

@Suite struct ScanTests {
  private let sender = DeviceAddress.static(7)

  private func report(_ type: UInt8, _ data: [UInt8], from sender: DeviceAddress? = nil) -> HCIAdvertisingReports {
    var report = HCIAdvertisingReport()
    (report.type, report.address, report.data, report.rssi) = (type, sender ?? self.sender, data, -60)
    return HCIAdvertisingReports([report])
  }

  private func bench(isActive: Bool = true, isLegacy: Bool = true) -> LayerBench {
    var options = ScriptedController.Options()
    options.hasExtended = !isLegacy
    var bench = LayerBench(options)
    bench.controller.log = []
    bench.run(.scan(ScanWindow(interval: .milliseconds(40), window: .milliseconds(30), isActive: isActive)))
    return bench
  }

  @Test func `A scan has its window, and ends`() {
    for isLegacy in [true, false] {
      var bench = bench(isLegacy: isLegacy)
      #expect(bench.controller.log == (isLegacy ? [0x2005, 0x200B, 0x200C] : [0x2005, 0x2041, 0x2042]))
      #expect(bench.controller.isScanning && bench.controller.scan == (64, 48, true))
      bench.run(.scan(ScanWindow(interval: .microseconds(1), window: .seconds(100), isActive: false)))
      #expect(bench.controller.isScanning && bench.controller.scan == (4, 4, false))
      bench.run(.scan(ScanWindow(interval: .seconds(100), window: .seconds(100), isActive: false)))
      #expect(bench.controller.scan.interval == (isLegacy ? 0x4000 : 0xFFFF))
      bench.run(.scan(nil))
      #expect(!bench.controller.isScanning)
    }
  }

  @Test(
    "A packet waits for its scan response, the sender's next packet, or 10 ms",
    arguments: [
      ("a response", true, [(0, [1]), (4, [2])], 0, [([1], [2])]),
      ("the next packet", true, [(0, [1]), (0, [3]), (4, [2])], 0, [([1], []), ([3], [2])]),
      ("time", true, [(0, [1])], 10, [([1], [])]),
      ("not yet", true, [(2, [1])], 9, []),
      ("neither", true, [(3, [1])], 0, [([1], [])]),
      ("passive", false, [(0, [1])], 0, [([1], [])]),
      ("a response alone", true, [(4, [2])], 20, []),
      ("twice", true, [(0, [1]), (0, [1]), (4, [2]), (4, [2])], 20, [([1], []), ([1], [2])]),
    ] as [(String, Bool, [(UInt8, [UInt8])], Int, [([UInt8], [UInt8])])])
  func joins(
    _ name: String, _ isActive: Bool, _ packets: [(UInt8, [UInt8])], _ wait: Int, _ expected: [([UInt8], [UInt8])]
  ) {
    var bench = bench(isActive: isActive)
    for (type, data) in packets { bench.air { $0.send(report(type, data)) } }
    bench.wait(.milliseconds(wait))
    #expect(bench.reports.map(\.data) == expected.map(\.0))
    #expect(bench.reports.map(\.scanResponse) == expected.map(\.1))
  }

  @Test func `Responses belong to their senders, and what waits is bounded`() {
    var bench = bench()
    for number in 0..<200 { bench.air { $0.send(report(0, [1], from: .static(UInt64(number)))) } }
    #expect(bench.reports.count == 136)
    bench.air { $0.send(report(4, [2], from: .static(199))) }
    #expect(bench.reports.last?.address == .static(199) && bench.reports.last?.scanResponse == [2])
    bench.run(.scan(nil))
    #expect(bench.reports.count == 200)
    #expect(bench.layer.deadline == nil)
  }

  @Test func `Fragments of extended data are joined up to 1,650 bytes`() {
    var bench = bench(isLegacy: false)
    func fragment(_ count: Int, _ kind: HCIExtendedReport.Kind) -> HCIExtendedReports {
      var report = HCIExtendedReport()
      (report.kind, report.address, report.set) = (kind, sender, 3)
      report.data = [UInt8](repeating: 7, count: count)
      return HCIExtendedReports([report])
    }
    bench.air { $0.send(fragment(200, [.incomplete])) }
    #expect(bench.reports == [])
    bench.air { $0.send(fragment(100, [])) }
    #expect(bench.reports.map(\.data.count) == [300] && bench.reports[0].isExtended)
    for _ in 0..<20 { bench.air { $0.send(fragment(200, [.incomplete])) } }
    bench.air { $0.send(fragment(100, [.truncated])) }
    #expect(bench.reports.map(\.data.count) == [300, 1650])
  }

  @Test func `A refused scan is tried again`() {
    var bench = bench()
    bench.run(.scan(nil))
    bench.controller.options.refused[0x200C] = 0x0C
    bench.run(.scan(ScanWindow()))
    bench.wait(.seconds(5))
    #expect(bench.refusals == [ControllerRefusal(0x200C, .status(0x0C))])
    bench.controller.options.refused = [:]
    bench.wait(.seconds(5))
    #expect(bench.controller.isScanning)
  }
}
