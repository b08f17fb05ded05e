import BleperaBluetooth
import BleperaController
import BleperaHCIProtocol
import BleperaHost
import Testing

@Suite struct AttemptTests {
  private static let parameters = LinkParameters(interval: .milliseconds(30), supervisionTimeout: .milliseconds(720))
  private let peers = (0..<12).map { DeviceAddress.static(UInt64($0)) }
  private let key = IdentityResolvingKey([UInt8](0..<16))
  private let ownKey = IdentityResolvingKey([UInt8](16..<32))

  private func bench(_ change: (inout ScriptedController.Options) -> Void = { _ in }) -> LayerBench {
    var options = ScriptedController.Options()
    change(&options)
    var bench = LayerBench(options)
    bench.controller.log = []
    return bench
  }

  private func wait(_ bench: inout LayerBench, for peers: [DeviceAddress: IdentityResolvingKey?]?) {
    let devices = peers.map { PendingConnections($0, ownKey: ownKey, parameters: Self.parameters) }
    bench.call { $0.wait(for: devices, at: $1) }
  }

  @Test func `Devices without keys wait in the accept list alone`() {
    for isLegacy in [false, true] {
      var bench = bench { $0.hasExtended = !isLegacy }
      wait(&bench, for: [peers[0]: nil, peers[1]: nil])
      #expect(bench.controller.log == [0x2005, 0x2010, 0x2011, 0x2011, isLegacy ? 0x200D : 0x2043])
      let attempt = bench.controller.attempt
      #expect(attempt?.policy == 1 && attempt?.ownType == 1)
      #expect(attempt?.parameters == HCIConnectionParameters(least: 24, most: 24, latency: 0, timeout: 72))
      bench.air { $0.peripheral(peers[1], handle: 0x40) }
      let opening = bench.openings.last
      #expect(opening?.isCentral == true && opening?.own == LayerBench.address && opening?.peer == peers[1])
      // The other one is waited for, alone.
      #expect(bench.controller.attempt?.policy == 0 && bench.controller.attempt?.peer == peers[0])
      wait(&bench, for: nil)
      #expect(bench.controller.attempt == nil)
      #expect(bench.refusals == [])
    }
  }

  @Test func `A device with a key is resolved by the controller while it is waited for`() throws {
    var bench = bench()
    let (key, ownKey) = (try #require(key), try #require(ownKey))
    bench.run(.advertise(AdvertisementID(1), LayerBench.app))
    bench.run(.scan(ScanWindow()))
    let identity = DeviceAddress(bits: 0xAA_0000_0001, isRandom: false)
    wait(&bench, for: [identity: key])
    #expect(bench.refusals == [])
    #expect(bench.controller.isResolving && bench.controller.attempt?.ownType == 3)
    let entry = bench.controller.resolvingList[identity]
    #expect(entry.map { LittleEndian.bytes($0.peerKey).reversed() } == key.bytes)
    #expect(entry.map { LittleEndian.bytes($0.ownKey).reversed() } == ownKey.bytes)
    // Both go on beside the attempt.
    #expect(bench.onAir.count == 1 && bench.controller.isScanning)
    let sent = DeviceAddress(bits: key.address(prand: 0x40_1234), isRandom: true)
    bench.air { $0.peripheral(sent, as: identity, handle: 0x40) }
    #expect(bench.openings.last?.peer == sent && bench.openings.last?.wanted == identity)
    #expect(!bench.controller.isResolving)
    #expect(bench.onAir.count == 1 && bench.controller.isScanning)
  }

  @Test func `A change cancels the attempt and begins another`() {
    var bench = bench()
    wait(&bench, for: [peers[0]: nil])
    bench.controller.log = []
    wait(&bench, for: [peers[0]: nil, peers[1]: nil])
    #expect(bench.controller.log == [0x200E, 0x2010, 0x2011, 0x2011, 0x2043])
    wait(&bench, for: [peers[0]: nil, peers[1]: nil])
    #expect(bench.controller.log.count == 5)
    let address = DeviceAddress(bits: 0x4B_0000_0000_01, isRandom: true)
    bench.call { $0.setAddress(address, at: $1) }
    #expect(bench.controller.attempt != nil && bench.controller.randomAddress == address)
    #expect(bench.refusals == [])
  }

  @Test func `A controller that never ends an attempt is asked again every two seconds`() {
    var bench = bench { $0.keepsAttempts = true }
    wait(&bench, for: [peers[0]: nil])
    wait(&bench, for: [peers[1]: nil])
    bench.wait(.seconds(20))
    let refusals = [ControllerRefusal(0x200E, .unanswered), ControllerRefusal(0x2043, .status(0x0C))]
    #expect(bench.refusals.prefix(2) == refusals[...] && bench.refusals.count <= 4, "\(bench.refusals)")
    // The device that is connected to in the end is not waited for any more.
    bench.air { $0.peripheral(peers[0], handle: 0x40) }
    #expect(bench.openings == [] && bench.controller.disconnects == [0x40: 0x13])
    bench.wait(.seconds(3))
    bench.air { $0.peripheral(peers[1], handle: 0x41) }
    #expect(bench.openings.map(\.peer) == [peers[1]])
  }

  @Test func `A list without room has the first devices`() {
    var bench = bench { $0.listSize = 3 }
    wait(&bench, for: Dictionary(uniqueKeysWithValues: peers.map { ($0, nil) }))
    #expect(bench.controller.acceptList == Array(peers.sorted().prefix(3)) && bench.controller.attempt != nil)
    #expect(bench.refusals == [ControllerRefusal(0x2011, .room(for: 3, of: 12))])
    #expect("\(bench.refusals[0])" == "the controller waits for 3 of 12 devices: its list has no more room")
  }

  @Test(
    "A refused or silent command of an attempt is reported once, and tried again",
    arguments: [0x2043, 0x2010, 0x2011, 0x2005, 0x2027, 0x202D, 0x204E, 0x2029], [true, false])
  func refusal(_ opcode: UInt16, _ isSilent: Bool) {
    var bench = bench { if isSilent { $0.silent = [opcode] } else { $0.refused[opcode] = 0x0C } }
    wait(&bench, for: [peers[0]: key])
    bench.wait(.seconds(30))
    #expect(bench.refusals.filter { $0.opcode == opcode }.count >= 1)
    #expect(bench.refusals.count <= 2, "\(bench.refusals)")
    (bench.controller.options.silent, bench.controller.options.refused) = ([], [:])
    bench.wait(.seconds(30))
    #expect(bench.controller.attempt != nil)
    wait(&bench, for: nil)
    bench.wait(.seconds(5))
    #expect(bench.controller.attempt == nil && bench.layer.deadline == nil)
  }

  @Test func `Without a link the peer is waited for again`() {
    var bench = bench()
    wait(&bench, for: [peers[0]: nil])
    bench.air {
      $0.attempt = nil
      var complete = ScriptedController.complete(0, isCentral: true, peers[0])
      complete.status = 0x3E
      $0.send(HCILEConnectionComplete(complete))
    }
    #expect(bench.refusals == [ControllerRefusal(0x2043, .status(0x3E))])
    #expect(bench.controller.attempt == nil)
    bench.wait(.seconds(2))
    #expect(bench.controller.attempt != nil)
  }
}
