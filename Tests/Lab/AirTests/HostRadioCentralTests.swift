import BleperaBluetooth
import BleperaHostRadio
import BleperaLoop
import BleperaRadio
import ControllerTesting
import Synchronization
import Testing

@testable import BleperaAir
@testable import BleperaHost

@Suite("A phone's radio as the central")
struct HostRadioCentralTests {
  private static let everything: CharacteristicProperties = [.read, .write, .notify, .writeWithoutResponse]
  private static let fast = ScanWindow(interval: .milliseconds(30), window: .milliseconds(30), isActive: true)

  /// A connected phone, whose peripheral has the services of `PhoneStage.begin`.
  private static func connected(
    _ stage: PhoneStage = PhoneStage(), on layer: LinkLayerKind, pairing: PairingMode = .justWorks,
    permissions: AttributePermissions = [.readable, .writeable]
  ) -> CentralStage {
    let stage = CentralStage(stage, pairing: pairing, on: layer)
    stage.stage.phone { $0.publish([PhoneStage.service(everything, permissions: permissions)]) }
    stage.connect()
    return stage
  }

  @Test("It scans, connects, discovers, reads, writes and is notified", arguments: LinkLayerKind.allCases)
  func use(layer: LinkLayerKind) {
    let stage = CentralStage(on: layer)
    stage.stage.begin(Self.everything, connecting: 0)
    stage.phone { $0.scan(Self.fast) }
    stage.wait(.milliseconds(200))
    // On the air an exchange may be cut off by the end of a window.
    let received = Set(stage.take())
    #expect(received.contains("p0 received, -50, 3") && received.subtracting(["p0 received, -50, 0"]).count == 1)
    stage.phone {
      $0.scan(nil)
      $0.connect(to: [CentralStage.peer], listening: CentralStage.always)
    }
    stage.wait(.milliseconds(500))
    #expect(stage.take() == stage.connected())
    #expect(stage.stage.takeEvents() == ["9 connected, \(layer == .air ? 185 : 23)"])
    #expect(
      stage.perform(.services, .characteristics(0x100...0x103), .descriptors(0x103...0x103)) == [
        "p0 185 phone changed", "#1 1800 0x0001...0x0005, 1801 0x0006...0x0009, 180D 0x0100...0x0103", "#2 2A37 0x0102",
        "#3 2902 0x0103",
      ])
    #expect(stage.perform(.write(0x103, [1, 0]), .command(0x102, [7]), .read(0x102)) == ["#1 done", "#2 done"])
    // The signal strength is not asked of the peripheral.
    #expect(stage.readRSSI(as: 4) == ["#4 -50"])
    #expect(
      stage.stage.takeEvents() == [
        "9 subscribed to 0x0102", "#1 9 writes 0x0102 [7] without response", "#2 9 reads 0x0102 from 0",
      ])
    stage.stage.phone {
      $0.respond(to: RadioRequestID(rawValue: 2), .success([1, 2]))
      _ = $0.update(0x102, [3], to: [stage.central])
    }
    stage.waitForPackets()
    #expect(stage.take() == ["#3 [1, 2]", "p0 0x0102 is [3]"])
    #expect(
      stage.perform(.read(0x999), .characteristics(0x999...0xFFFF)) == ["#1 fails: 0x01 invalidHandle", "#2 "])
    #expect(stage.readRSSI(as: 1, of: PeripheralID(rawValue: "00:AA:01:00:00:05")) == ["#1 fails: not connected"])
  }

  @Test(
    "Long values take several requests, and a command completes when the link has carried it",
    arguments: LinkLayerKind.allCases)
  func long(layer: LinkLayerKind) {
    let stage = Self.connected(
      PhoneStage(conditions: AirConditions(latency: .milliseconds(20), interval: .zero)), on: layer)
    stage.phone { $0.perform(.command(0x102, [7]), as: PeripheralOperationID(rawValue: 1), at: CentralStage.peer) }
    stage.wait(.milliseconds(20))
    #expect(stage.take() == [])
    // The next event of the connection, or the end of the radio's latency.
    stage.wait(.milliseconds(layer == .air ? 1 : 31))
    #expect(stage.take() == ["#1 done"])
    let value = [UInt8](repeating: 9, count: 400)
    #expect(stage.perform(.write(0x102, value), .read(0x102)) == [])
    stage.wait(.milliseconds(200))
    #expect(
      stage.stage.takeEvents().map { String($0.prefix(22)) } == ["#1 9 writes 0x0102 [7]", "#2 9 writes 0x0102 [9,"])
    stage.stage.phone { $0.respond(to: RadioRequestID(rawValue: 2), .success([])) }
    for request in 3...5 {
      stage.wait(.milliseconds(layer == .air ? 50 : 200))
      let part = Array(value.dropFirst((request - 3) * 184))
      stage.stage.phone { $0.respond(to: RadioRequestID(rawValue: request), .success(part)) }
    }
    stage.wait(.milliseconds(layer == .air ? 50 : 200))
    #expect(stage.take() == ["#1 done", "#2 400 bytes"])
  }

  // MARK: Listening

  @Test("A scan receives in its windows", arguments: LinkLayerKind.allCases)
  func windows(layer: LinkLayerKind) {
    let stage = CentralStage(on: layer)
    stage.stage.begin(Self.everything, connecting: 0)
    stage.phone { $0.scan(ScanWindow(interval: .milliseconds(300), window: .milliseconds(30), isActive: false)) }
    stage.wait(.seconds(60))
    let received = stage.take()
    #expect(Set(received) == ["p0 received, -50, 0"])
    #expect((20...60).contains(received.count))
  }

  @Test(
    "A pending connection is made in a window of its own or of the scan", arguments: LinkLayerKind.allCases,
    [false, true])
  func pending(layer: LinkLayerKind, scans: Bool) {
    // The longest interval of the commands before Bluetooth 5 is 10.24 s.
    guard layer != .legacyController else { return }
    let stage = CentralStage(on: layer)
    stage.phone {
      $0.connect(
        to: [CentralStage.peer],
        listening: ScanWindow(interval: .seconds(20), window: .milliseconds(200), isActive: false))
    }
    stage.wait(.seconds(1))
    stage.stage.phone { $0.advertise(PhoneStage.advertisement("phone")) }
    stage.wait(.seconds(10))
    #expect(stage.take() == [])
    // The same set again does not begin a window.
    stage.phone { radio in
      if scans { radio.scan(Self.fast) }
      radio.connect(
        to: [CentralStage.peer],
        listening: ScanWindow(interval: .seconds(20), window: .milliseconds(200), isActive: false))
    }
    stage.wait(.seconds(1))
    // A controller connects in the windows of its attempts alone.
    let isSoon = scans && layer == .air
    #expect(stage.take().contains(stage.connected()[0]) == isSoon)
    stage.wait(.seconds(10))
    #expect(stage.stage.loop.now > .zero)
    #expect(stage.take().contains(stage.connected()[0]) == !isSoon)
  }

  @Test(
    "Whoever is no longer wanted is not connected, and nobody is connected twice", arguments: LinkLayerKind.allCases)
  func wanted(layer: LinkLayerKind) {
    let stage = CentralStage(on: layer)
    stage.phone {
      $0.connect(to: [CentralStage.peer], listening: CentralStage.always)
      $0.connect(to: [PeripheralID(rawValue: "00:AA:01:00:00:01")], listening: CentralStage.always)
    }
    stage.stage.phone { $0.advertise(PhoneStage.advertisement("phone")) }
    stage.wait(.seconds(1))
    #expect(stage.take() == [])
    stage.phone { $0.connect(to: [CentralStage.peer], listening: CentralStage.always) }
    stage.wait(.seconds(1))
    #expect(stage.take() == stage.connected())
    stage.phone {
      $0.disconnect(from: PeripheralID(rawValue: "00:AA:01:00:00:01"))
      $0.disconnect(from: CentralStage.peer)
    }
    stage.wait(.seconds(5))
    #expect(stage.take() == ["p0 disconnected, by the phone"])
    // Asked for while the former connection ends.
    stage.phone { $0.connect(to: [CentralStage.peer], listening: CentralStage.always) }
    stage.wait(.seconds(1))
    stage.phone {
      $0.disconnect(from: CentralStage.peer)
      $0.connect(to: [CentralStage.peer], listening: CentralStage.always)
    }
    stage.wait(.seconds(1))
    #expect(stage.take() == stage.connected() + ["p0 disconnected, by the phone"] + stage.connected())
  }

  // MARK: Ends

  @Test("It reports why a connection ends, and nothing of the operations under way", arguments: LinkLayerKind.allCases)
  func causes(layer: LinkLayerKind) {
    let phone = AdapterID(0)
    let ends: [(String, @Sendable (CentralStage) -> Void)] = [
      ("by the peripheral", { stage in stage.stage.phone { $0.disconnect(stage.central) } }),
      ("by the peripheral", { _ = $0.stage.phone { $0.switchPower(on: false) { _ in } } }),
      ("nothing was received in time", { $0.stage.run(.cut(phone, $0.adapter)) }),
      ("by the phone", { $0.phone { $0.disconnect(from: CentralStage.peer) } }),
      ("by the phone", { $0.stage.run(.linkLayer($0.adapter, .power(false))) }),
    ]
    for (cause, end) in ends {
      let stage = Self.connected(on: layer)
      #expect(stage.perform(.read(0x102)) == [])
      end(stage)
      stage.wait(.seconds(1))
      #expect(stage.take().first == "p0 disconnected, \(cause)")
    }
  }

  @Test("A request without an answer ends the connection after 30 s", arguments: LinkLayerKind.allCases)
  func unanswered(layer: LinkLayerKind) {
    let stage = Self.connected(on: layer)
    _ = stage.perform(.read(0x102))
    stage.wait(.milliseconds(layer == .air ? 29_980 : 28_980))
    #expect(stage.take() == [])
    stage.wait(.milliseconds(layer == .air ? 20 : 100))
    #expect(stage.take() == ["p0 disconnected, nothing was received in time"])
  }

  @Test("Power off ends everything, and the radio restores nothing", arguments: LinkLayerKind.allCases)
  func power(layer: LinkLayerKind) {
    let stage = Self.connected(on: layer)
    stage.phone {
      $0.scan(Self.fast)
      $0.connect(to: [PeripheralID(rawValue: "00:AA:01:00:00:01")], listening: CentralStage.always)
      _ = $0.switchPower(on: false) { _ in }
      // These calls have no effect.
      $0.scan(Self.fast)
      $0.connect(to: [CentralStage.peer], listening: CentralStage.always)
    }
    stage.wait(.seconds(1))
    #expect(stage.take() == ["p0 disconnected, by the phone", "off \(stage.adapter)"])
    stage.phone { _ = $0.switchPower(on: true) { _ in } }
    stage.wait(.seconds(1))
    #expect(stage.take() == ["on \(stage.adapter)"])
    #expect(stage.stage.takeEvents() == ["9 disconnected, 185"])
    stage.connect()
    #expect(stage.perform(.services).count == 2)
  }

  @Test(
    "An interruption ends the connections, and the radio restores nothing",
    arguments: LinkLayerKind.allCases, [HostRadio.Interruption.noDaemon, .noAdapter])
  func interruption(layer: LinkLayerKind, _ interruption: HostRadio.Interruption) {
    // A controller is not taken off the machine as a test fault.
    guard layer == .air || interruption == .noDaemon else { return }
    let stage = Self.connected(on: layer)
    stage.phone { $0.scan(Self.fast) }
    stage.wait(.milliseconds(5))
    _ = (stage.take(), stage.perform(.read(0x102)))
    stage.phone { $0.interrupt(interruption) }
    #expect(stage.take() == ["p0 disconnected, by the phone", interruption == .noDaemon ? "no daemon" : "no adapter"])
    stage.phone { $0.connect(to: [CentralStage.peer], listening: CentralStage.always) }
    stage.wait(.seconds(1))
    stage.phone { $0.resume(interruption) }
    stage.wait(.seconds(1))
    #expect(stage.take() == ["on \(stage.adapter)"])
    stage.connect()
    stage.phone { $0.vanish() }
    stage.wait(.seconds(1))
    #expect(stage.take() == [])
    #expect(stage.stage.takeEvents().last == "9 disconnected, 185")
  }

  // MARK: Services

  @Test(
    "Service Changed is reported, and the services are discovered again when they are asked for",
    arguments: LinkLayerKind.allCases)
  func serviceChanged(layer: LinkLayerKind) {
    let stage = Self.connected(on: layer)
    let first = stage.perform(.services).last
    stage.stage.phone { $0.publish([PhoneStage.service(uuid: 0x180F, including: [0x180D], at: 0x200)]) }
    stage.waitForPackets()
    #expect(stage.take() == ["p0 changed 0x0200...0x0204"])
    let second = stage.perform(.services)
    #expect(second == ["\(first ?? ""), 180F 0x0200...0x0204"])
    #expect(stage.perform(.services, .includedServices(0x200...0x204)) == second + ["#2 180D 0x0100...0x0103"])
  }

  @Test(
    "Services that are known are not discovered, and what the system asks is asked", arguments: LinkLayerKind.allCases)
  func knownServices(layer: LinkLayerKind) throws {
    let stage = Self.connected(on: layer)
    _ = stage.perform(.services)
    let host = stage.stage.loop.perform { stage.radio.adapter.withHost { $0 } }
    let services = try #require(host?.links.values.first?.services)
    stage.phone { $0.disconnect(from: CentralStage.peer) }
    stage.waitForPackets()
    stage.connect()
    #expect(
      stage.perform(.knownServices(services)) == [
        "p0 185 phone changed", "#1 1800 0x0001...0x0005, 1801 0x0006...0x0009, 180D 0x0100...0x0103",
      ])
    stage.stage.phone { $0.remove(service: 0x100) }
    stage.waitForPackets()
    #expect(stage.take() == ["p0 changed 0x0100...0x0103"])
  }

  // MARK: Security

  private static let modes: [(phone: PairingMode, peer: PairingMode, isAuthenticated: Bool?)] = [
    (.justWorks, .justWorks, false), (.passkey, .justWorks, false), (.passkey, .passkey, true),
    (.refuse, .justWorks, nil), (.refuse, .passkey, nil), (.justWorks, .refuse, nil), (.passkey, .refuse, nil),
    // The peripheral wants a passkey typed, and nobody can.
    (.justWorks, .passkey, nil),
  ]

  @Test("A request that needs encryption pairs and is repeated, or fails", arguments: LinkLayerKind.allCases, modes)
  func pairing(layer: LinkLayerKind, mode: (phone: PairingMode, peer: PairingMode, isAuthenticated: Bool?)) {
    let (phone, peer, isAuthenticated) = mode
    let stage = Self.connected(
      PhoneStage(pairing: peer), on: layer, pairing: phone,
      permissions: [.readEncryptionRequired, .writeEncryptionRequired])
    var write = stage.perform(.write(0x102, [7]), .command(0x102, [8]))
    // The radio of the air reads the display of the peripheral, and over a controller the user does.
    if write == ["peripheral 0 asks to type"] { write = stage.typePasskey() }
    let isBonded = isAuthenticated != nil
    #expect(
      write
        == (isBonded
          ? ["p0 bonded as p0 bonded 185 -"] : ["#1 fails: not paired, and the link has to be encrypted", "#2 done"]))
    let requests = stage.stage.takeEvents().filter { $0.contains("writes") }
    #expect(requests == (isBonded ? ["#1 9 writes 0x0102 [7]"] : []))
    #expect(stage.bond(with: PhoneStage.phone)?.isAuthenticated == isAuthenticated)
    guard isBonded else { return }
    stage.stage.phone { $0.respond(to: RadioRequestID(rawValue: 1), .success([])) }
    stage.waitForPackets()
    #expect(stage.take() == ["#1 done", "#2 done"])
    // The next connection is encrypted at once.
    stage.phone { $0.disconnect(from: CentralStage.peer) }
    stage.waitForPackets()
    stage.stage.phone { $0.advertise(PhoneStage.advertisement("phone")) }
    stage.phone { $0.connect(to: [CentralStage.peer], listening: CentralStage.always) }
    stage.wait(.seconds(1))
    #expect(stage.take() == ["p0 disconnected, by the phone"] + stage.connected(isBonded: true))
    _ = (stage.stage.takeEvents(), stage.perform(.write(0x102, [9])))
    #expect(stage.stage.takeEvents() == ["#3 9 writes 0x0102 [9]"])
  }

  @Test("A request waits for a pairing that the peripheral has begun", arguments: LinkLayerKind.allCases)
  func securityRequest(layer: LinkLayerKind) {
    let stage = Self.connected(on: layer, permissions: [.readEncryptionRequired])
    stage.stage.loop.perform {
      stage.stage.air.assumeIsolated { [stage] air in
        let link = air.air.connections.keys.first ?? ConnectionID(0)
        air.operate(for: AdapterID(0), { .host(AdapterID(0), .pair(link, $0)) }) { _ in }
        _ = stage
      }
    }
    #expect(stage.perform(.read(0x102)) == ["p0 bonded as p0 bonded 185 -"])
    #expect(stage.stage.takeEvents().last == "#1 9 reads 0x0102 from 0")
  }

  @Test(
    "A peripheral that has lost its keys is left", arguments: LinkLayerKind.allCases,
    [Duration.zero, .milliseconds(30)])
  func keyMissing(layer: LinkLayerKind, interval: Duration) {
    let stage = Self.connected(
      PhoneStage(conditions: AirConditions(interval: interval)), on: layer, permissions: [.readEncryptionRequired])
    _ = stage.perform(.read(0x102))
    stage.wait(.seconds(2))
    stage.stage.run(.host(AdapterID(0), .unpair(stage.address)))
    stage.phone { $0.disconnect(from: CentralStage.peer) }
    stage.wait(.milliseconds(100))
    #expect(stage.bond(with: PhoneStage.phone) != nil)
    _ = stage.take()
    stage.phone { $0.connect(to: [CentralStage.peer], listening: CentralStage.always) }
    stage.wait(.seconds(1))
    // The MTU exchange takes connection events, and the phone leaves meanwhile.
    #expect(
      stage.take().filter { !$0.hasSuffix("changed") } == [
        "p0 bonded 23 - connected", "p0 disconnected, the peripheral has no key",
      ])
  }

  @Test(
    "A bonded peripheral is received and connected by its identity address, whatever address it uses",
    arguments: LinkLayerKind.allCases)
  func privacy(layer: LinkLayerKind) {
    let stage = CentralStage(PhoneStage(rotation: .seconds(900)), rotation: .seconds(900), on: layer)
    stage.stage.phone { $0.publish([PhoneStage.service(Self.everything, permissions: [.readEncryptionRequired])]) }
    let address = stage.stage.loop.perform { stage.stage.air.assumeIsolated { $0.address(of: AdapterID(0)) } }
    let first = PeripheralID(rawValue: "\(address.map { "\($0)" } ?? "")")
    stage.connect(to: first)
    #expect(stage.perform(.read(0x102), at: first) == ["p2 bonded as p0 bonded 185 -"])
    stage.stage.phone { $0.respond(to: RadioRequestID(rawValue: 1), .success([1])) }
    stage.waitForPackets()
    stage.phone { $0.disconnect(from: CentralStage.peer) }
    stage.wait(.seconds(1000))
    #expect(stage.take() == ["#1 [1]", "p0 disconnected, by the phone"])
    stage.phone { $0.scan(Self.fast) }
    stage.wait(.milliseconds(200))
    // On the air an exchange may be cut off by the end of a window.
    let received = Set(stage.take())
    #expect(received.contains("p0 received, -50, 3") && received.subtracting(["p0 received, -50, 0"]).count == 1)
    stage.phone {
      $0.scan(nil)
      $0.connect(to: [CentralStage.peer], listening: CentralStage.always)
    }
    stage.wait(.seconds(1))
    #expect(stage.take() == stage.connected(isBonded: true))
  }

  // MARK: Both roles

  @Test(
    "It is the central of one phone and the peripheral of others at the same time", arguments: LinkLayerKind.allCases)
  func bothRoles(layer: LinkLayerKind) {
    let stage = Self.connected(on: layer)
    stage.phone {
      $0.publish([PhoneStage.service(Self.everything)])
      $0.advertise(PhoneStage.advertisement("second phone"))
    }
    stage.waitForPackets()
    let address = stage.address
    stage.stage.loop.perform {
      stage.stage.centrals[0].assumeIsolated { $0.connect(to: address) }
    }
    stage.wait(.seconds(1))
    #expect(stage.take() == ["published 0x0100", "advertising", "1 connected, \(layer == .air ? 185 : 23)"])
    stage.phone {
      #expect($0.connectedCentrals.map(\.id) == [PhoneStage.first])
      $0.disconnect(CentralID(rawValue: "00:AA:01:00:00:00"))
      $0.disconnect(from: PeripheralID(rawValue: PhoneStage.first.rawValue))
    }
    stage.stage.subscribe(1)
    #expect(stage.take() == ["1 subscribed to 0x0102"])
    #expect(stage.perform(.services).count == 2)
    stage.phone { $0.disconnect(PhoneStage.first) }
    stage.waitForPackets()
    #expect(stage.take() == ["1 unsubscribed from 0x0102", "1 disconnected, 185"])
    stage.phone { $0.disconnect(from: CentralStage.peer) }
    stage.waitForPackets()
    #expect(stage.take() == ["p0 disconnected, by the phone"])
  }

  @Test("It is used over a link that loses packets", arguments: LinkLayerKind.allCases)
  func loss(layer: LinkLayerKind) {
    let stage = Self.connected(PhoneStage(conditions: AirConditions(loss: 0.3, interval: .milliseconds(30))), on: layer)
    stage.phone { $0.perform(.services, as: PeripheralOperationID(rawValue: 1), at: CentralStage.peer) }
    stage.wait(.seconds(3))
    #expect(stage.take().count == 2)
  }

  @Test(
    "It opens channels, after pairing where they need encryption", arguments: LinkLayerKind.allCases,
    [PairingMode.justWorks, .refuse])
  func channels(layer: LinkLayerKind, mode: PairingMode) {
    let stage = Self.connected(on: layer, pairing: mode)
    let log = Log()
    stage.stage.phone {
      $0.publishChannel(isEncrypted: false) { _ in }
      $0.publishChannel(isEncrypted: true) { _ in }
    }
    stage.waitForPackets()
    stage.phone { radio in
      for psm in 0x80...0x82 {
        radio.openChannel(L2CAPPSM(rawValue: UInt16(psm)), at: CentralStage.peer) { result in
          switch result {
          case .success: log.add("opened")
          case .failure(let failure): log.add("\(failure)")
          }
        }
      }
    }
    stage.wait(layer == .air ? .milliseconds(100) : .seconds(3))
    let second = mode == .refuse ? "not paired, and the link has to be encrypted" : "opened"
    #expect(log.take().sorted() == [second, "opened", "unknownPSM"])
    #expect(stage.stage.takeEvents().filter { $0.contains("opened") }.count == (mode == .refuse ? 1 : 2))
  }
}
