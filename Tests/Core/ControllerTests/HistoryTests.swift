import BleperaBluetooth
import BleperaController
import BleperaHCIProtocol
import BleperaHost
import Testing

/// Random histories of a controller that refuses, delays, loses credits or dies.
@Suite struct HistoryTests {
  /// The phone's side of a history.
  private struct History {
    var bench: LayerBench
    var random: SplitMix64
    var advertisements: [AdvertisementID: AdvertisingPackets] = [:]
    var scan: ScanWindow?
    var devices: PendingConnections?
    var lastNumber = 0
    var nextHandle: UInt16 = 0x40
    var ended: Set<ConnectionID> = []
    /// The address by which the peer of each link was waited for.
    var open: [ConnectionID: DeviceAddress] = [:]
    /// The data of each link that is not acknowledged.
    var unsent: [ConnectionID: Int] = [:]
    var taken = 0
    let keepsAttempts: Bool
    var lastAddress: UInt64 = 0

    init(seed: UInt64) {
      random = SplitMix64(seed: seed)
      var options = ScriptedController.Options()
      options.hasExtended = Bool.random(using: &random)
      options.sets = [1, 2, 4].randomElement(using: &random) ?? 1
      options.completesData = false
      keepsAttempts = Int.random(in: 0..<4, using: &random) == 0
      options.keepsAttempts = keepsAttempts
      bench = LayerBench(options)
    }

    mutating func step() {
      switch Int.random(in: 0..<18, using: &random) {
      case 0...2:
        lastNumber += 1
        var packets = [LayerBench.app, LayerBench.own].randomElement(using: &random) ?? LayerBench.app
        packets.interval = .milliseconds(Int.random(in: 20...300, using: &random))
        advertisements[AdvertisementID(lastNumber)] = packets
        bench.run(.advertise(AdvertisementID(lastNumber), packets))
        if advertisements.count > 3 { fallthrough }
      case 3:
        guard let id = advertisements.keys.sorted().randomElement(using: &random) else { return }
        advertisements[id] = nil
        bench.run(.withdraw(id))
      case 4:
        scan = Bool.random(using: &random) ? ScanWindow(isActive: Bool.random(using: &random)) : nil
        bench.run(.scan(scan))
      case 5, 6:
        let peers = (0..<Int.random(in: 0...3, using: &random)).map { DeviceAddress.static(UInt64($0)) }
        let key = Bool.random(using: &random) ? IdentityResolvingKey([UInt8](0..<16)) : nil
        let parameters = LinkParameters(interval: .milliseconds(30), supervisionTimeout: .milliseconds(720))
        let keys = Dictionary(uniqueKeysWithValues: peers.map { ($0, key) })
        devices = peers.isEmpty ? nil : PendingConnections(keys, ownKey: key, parameters: parameters)
        bench.call { [devices] in $0.wait(for: devices, at: $1) }
      case 7:
        lastAddress += 1
        let address = DeviceAddress(bits: 0x40_0000_0000_00 | lastAddress, isRandom: true)
        bench.call { $0.setAddress(address, at: $1) }
      case 8:
        nextHandle = nextHandle == 0x50 ? 0x40 : nextHandle + 1
        guard bench.controller.links[nextHandle] == nil else { return }
        let isNamed = Bool.random(using: &random)
        let on = bench.controller.sets.filter(\.value.isOn).keys.sorted().first {
          bench.controller.sets[$0]?.parameters.properties.contains(.connectable) == true
        }
        guard let on else { return }
        bench.air { [nextHandle] in
          $0.central(.static(99), connectsTo: on, handle: nextHandle, isNamed: isNamed)
        }
      case 9:
        nextHandle = nextHandle == 0x50 ? 0x40 : nextHandle + 1
        guard bench.controller.links[nextHandle] == nil, bench.controller.attempt != nil,
          let peer = bench.controller.acceptList.first
        else { return }
        bench.air { [nextHandle] in $0.peripheral(peer, handle: nextHandle) }
      case 10:
        guard let handle = bench.controller.links.keys.sorted().randomElement(using: &random) else { return }
        bench.air { $0.end(handle, reason: 0x13) }
      case 11:
        guard let id = open.keys.sorted().randomElement(using: &random) else { return }
        let request: LinkRequest =
          [
            .disconnect(.userTerminated), .key(7), .setDataLength(251), .abandon,
            .encrypt(LinkKey(7, random: 0, diversifier: 0)),
          ].randomElement(using: &random) ?? .abandon
        bench.run(.link(id, request))
      case 12, 13:
        guard let id = open.keys.sorted().randomElement(using: &random) else { return }
        let bytes = [UInt8](repeating: 1, count: Int.random(in: 1...80, using: &random))
        unsent[id, default: 0] += 1
        bench.run(.link(id, .data(LinkData(isStart: true, bytes))))
      case 14: bench.air { $0.complete() }
      case 15:
        // The controller loses credits, or misbehaves for a while.
        if Bool.random(using: &random) { bench.controller.held = [] }
        let opcode =
          [0x2036, 0x2039, 0x2006, 0x200A, 0x2037, 0x2043, 0x200D, 0x200E, 0x2042, 0x0406, 0x2005, 0x202D]
          .randomElement(using: &random) ?? 0x2036
        if Bool.random(using: &random) {
          bench.controller.options.silent = [UInt16(opcode)]
        } else {
          // The error by which LE Create Connection Cancel is refused without an attempt is not lied about.
          let errors: [UInt8] = opcode == 0x200E ? [0x12] : [0x0C, 0x12, 0x07]
          bench.controller.options.refused = [UInt16(opcode): errors.randomElement(using: &random) ?? 0x12]
        }
      case 16: (bench.controller.options.silent, bench.controller.options.refused) = ([], [:])
      default:
        if Int.random(in: 0..<4, using: &random) == 0 { die() }
      }
    }

    mutating func die() {
      bench.call { $0.lost(at: $1) }
      bench.controller = ScriptedController(bench.controller.options)
      bench.start()
    }

    /// Takes what the layer has reported.
    mutating func check(_ seed: UInt64) {
      for event in bench.events[taken...] {
        switch event {
        case .connected(let id, let opening):
          #expect(open.updateValue(opening.wanted, forKey: id) == nil && !ended.contains(id), "seed \(seed)")
          if let advertisement = opening.advertisement { advertisements[advertisement] = nil }
          if opening.isCentral { devices?.peers[opening.wanted] = nil }
        case .link(let id, .ended):
          #expect(open.removeValue(forKey: id) != nil && ended.insert(id).inserted, "seed \(seed)")
          unsent[id] = nil
        case .link(let id, .sent):
          #expect(open[id] != nil, "seed \(seed)")
          unsent[id, default: 0] -= 1
          #expect(unsent[id, default: 0] >= 0, "seed \(seed)")
        case .link(let id, _): #expect(open[id] != nil, "seed \(seed)")
        case .advertisementRefused(let id): advertisements[id] = nil
        default: break
        }
      }
      taken = bench.events.count
      if !bench.failures.isEmpty {
        bench.failures = []
        die()
      }
    }
  }

  @Test("After 200 random histories the controller has what was asked for", arguments: 0..<200 as Range<UInt64>)
  func history(_ seed: UInt64) {
    var history = History(seed: seed)
    for _ in 0..<60 {
      history.step()
      history.bench.wait(.milliseconds([0, 1, 20, 200, 2500].randomElement(using: &history.random) ?? 0))
      history.check(seed)
    }
    // The controller recovers, and everything is on again.
    (history.bench.controller.options.silent, history.bench.controller.options.refused) = ([], [:])
    history.bench.controller.options.completesData = true
    history.bench.controller.options.keepsAttempts = false
    for _ in 0..<30 {
      history.bench.air { $0.complete() }
      history.bench.wait(.seconds(2))
      history.check(seed)
    }
    let (bench, controller) = (history.bench, history.bench.controller)
    #expect(controller.links.count == history.open.count, "seed \(seed)")
    #expect(history.unsent.values.allSatisfy { $0 == 0 }, "seed \(seed)")
    for peer in history.open.values { history.devices?.peers[peer] = nil }
    if history.devices?.peers.isEmpty == true { history.devices = nil }
    if !history.keepsAttempts { #expect((controller.attempt != nil) == (history.devices != nil), "seed \(seed)") }
    if history.scan == nil { #expect(!controller.isScanning, "seed \(seed)") }
    let most = controller.options.hasExtended ? Int(controller.options.sets) : 1
    let isShort = !controller.options.hasExtended && history.devices != nil
    let expected = history.advertisements.values.filter { !isShort || $0.address == .ofAdapter }.count
    #expect(bench.onAir.count == min(most, expected), "seed \(seed)")
  }
}
