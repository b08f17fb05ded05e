import BleperaBluetooth
import BleperaController
import BleperaHCIProtocol
import BleperaHost
import Testing

@Suite struct StartTests {
  private static let first: [UInt16] = [0x0C03, 0x1001, 0x1002, 0x2003, 0x2002, 0x0C01, 0x2001]

  @Test(
    "The start sends what is needed and no more",
    arguments: [
      ("with sets", true, 0x7F, 27, [0x203B, 0x203A, 0x2024]),
      ("legacy", false, 0x7F, 27, [0x2024]),
      ("without data length", false, 0x01, 27, []),
      ("with the buffers of BR/EDR", false, 0x01, 0, []),
    ] as [(String, Bool, UInt64, UInt16, [UInt16])])
  func commands(_ name: String, _ hasExtended: Bool, _ features: UInt64, _ length: UInt16, _ more: [UInt16]) {
    var options = ScriptedController.Options()
    (options.hasExtended, options.features) = (hasExtended, features)
    options.buffers = HCIBufferSize(length: length, packets: length == 0 ? 0 : 3)
    let bench = LayerBench(options)
    let buffers: [UInt16] = length == 0 ? [0x1005] : []
    #expect(bench.controller.log == Self.first[..<5] + buffers + Self.first[5...] + more)
    #expect(bench.layer.description == bench.descriptions.first)
    #expect(bench.layer.description?.sets == (hasExtended ? 4 : 1))
    #expect(bench.layer.description?.buffers.length == (length == 0 ? 1024 : 27))
  }

  @Test func `A controller is described in one line`() {
    #expect(
      LayerBench().layer.description?.description
        == "Bluetooth 5.3, company 00E0, 3 packets of 27 bytes, 4 advertising sets")
    var options = ScriptedController.Options()
    options.hasExtended = false
    #expect(
      LayerBench(options).layer.description?.description
        == "Bluetooth 4.0, company 00E0, 3 packets of 27 bytes, legacy advertising")
  }

  @Test(
    "A command of the start that is not answered delays, and a refused one does not",
    arguments: Self.first.dropFirst() + [0x203B, 0x203A, 0x2024])
  func goesOn(_ opcode: UInt16) {
    var options = ScriptedController.Options()
    options.silent = [opcode]
    var bench = LayerBench(options)
    #expect(bench.layer.description == nil)
    bench.wait(.seconds(3))
    #expect(bench.layer.description != nil)
    #expect(bench.refusals == [ControllerRefusal(opcode, .unanswered)])

    options.silent = []
    options.refused[opcode] = 0x01
    options.hasExtended = opcode != 0x2003
    bench = LayerBench(options)
    #expect(bench.layer.description != nil)
    #expect(bench.refusals == [ControllerRefusal(opcode, .status(0x01))])
    bench.run(.advertise(AdvertisementID(1), LayerBench.app))
    #expect(opcode == 0x203B || bench.onAir == [LayerBench.app.data])
  }

  @Test func `Reset without an answer, and an error of the hardware, are failures`() {
    var options = ScriptedController.Options()
    options.silent = [0x0C03]
    var bench = LayerBench(options)
    bench.wait(.seconds(3))
    #expect(bench.failures == ["the controller does not answer Reset"])
    #expect(bench.layer.deadline == nil)

    bench = LayerBench()
    bench.air { $0.send(HCIHardwareError(0x2A)) }
    #expect(bench.failures == ["the controller reports hardware error 2A"])
    bench.run(.advertise(AdvertisementID(1), LayerBench.app))
    #expect(bench.onAir.isEmpty)
    bench.start()
    #expect(bench.onAir == [LayerBench.app.data])
  }

  @Test func `An answer that arrives late is ignored`() {
    var options = ScriptedController.Options()
    options.silent = [0x1001]
    var bench = LayerBench(options)
    bench.wait(.milliseconds(2500))
    let ready = bench.descriptions
    bench.air { $0.send(HCICommandComplete(0x1001, [0] + [UInt8](repeating: 9, count: 8))) }
    #expect(bench.descriptions == ready && bench.layer.description == ready.last)
  }

  @Test func `A controller without credits for commands is asked again after two seconds`() {
    var bench = LayerBench()
    bench.run(.advertise(AdvertisementID(1), LayerBench.app))
    bench.air {
      var event = HCICommandComplete(0, [])
      event.credits = 0
      $0.send(event)
    }
    bench.run(.withdraw(AdvertisementID(1)))
    #expect(!bench.onAir.isEmpty)
    bench.wait(.seconds(2))
    #expect(bench.onAir.isEmpty)
    #expect(bench.refusals.map(\.reason) == [.withoutCredits])
  }

  @Test func `Everything asked for is there again after a loss, and reported once`() {
    var bench = LayerBench()
    let peer = DeviceAddress.static(7)
    bench.run(.advertise(AdvertisementID(1), LayerBench.app))
    bench.run(.scan(ScanWindow()))
    bench.call { layer, now in
      layer.wait(
        for: PendingConnections(
          [peer: nil], parameters: LinkParameters(interval: .milliseconds(30), supervisionTimeout: .seconds(2))),
        at: now)
    }
    bench.air { $0.central(peer, connectsTo: 0, handle: 0x40) }
    bench.run(.advertise(AdvertisementID(2), LayerBench.app))
    bench.call { $0.lost(at: $1) }
    #expect(bench.notices.last == .ended(.connectionTimeout))
    bench.controller = ScriptedController()
    bench.start()
    #expect(bench.onAir == [LayerBench.app.data])
    #expect(bench.controller.isScanning)
    #expect(bench.controller.attempt != nil)
    #expect(bench.events.filter { $0 == .advertising(AdvertisementID(2)) }.count == 1)
  }

  @Test func `Off, everything ends, and nothing is on the air`() {
    var bench = LayerBench()
    bench.run(.advertise(AdvertisementID(1), LayerBench.app))
    bench.air { $0.central(.static(7), connectsTo: 0, handle: 0x40) }
    bench.run(.advertise(AdvertisementID(2), LayerBench.app))
    bench.run(.scan(ScanWindow()))
    bench.run(.power(false))
    #expect(bench.events.suffix(2).last == .poweredOff)
    #expect(bench.notices.last == .ended(.hostTerminated))
    #expect(bench.controller.disconnects == [0x40: 0x15])
    #expect(bench.onAir.isEmpty && !bench.controller.isScanning && bench.controller.links.isEmpty)
    bench.run(.advertise(AdvertisementID(3), LayerBench.app))
    #expect(bench.events.last == .advertisementRefused(AdvertisementID(3)))
    bench.run(.power(true))
    bench.run(.advertise(AdvertisementID(4), LayerBench.app))
    #expect(bench.onAir == [LayerBench.app.data])
  }
}
