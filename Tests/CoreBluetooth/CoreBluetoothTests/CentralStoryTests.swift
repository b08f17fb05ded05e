import BleperaBluetooth
import BleperaTesting
import CoreBluetooth
import Testing

/// Apps that are centrals of accessories.
extension StoryTests {
  static let measurement = BluetoothUUID("2A37")!
  private static let strapService = BluetoothUUID("180D")!

  static func strap(
    on air: Air, named name: String = "Strap", pairs: Bool = false, interval: Duration = .microseconds(152_500),
    address: AccessoryAddressKind = .public
  ) -> Accessory {
    Accessory(
      on: air, named: name.lowercased(), localName: name,
      services: [
        ServiceDefinition(
          uuid: strapService,
          characteristics: [
            CharacteristicDefinition(
              uuid: measurement, properties: [.read, .write, .writeWithoutResponse, .notify],
              permissions: pairs ? [.readEncryptionRequired, .writeEncryptionRequired] : [.readable, .writeable])
          ])
      ], interval: interval, address: address)
  }

  /// Launches an app that has found and subscribed to the strap.
  static func connected(
    _ phone: Phone, on air: Air, backgroundModes: [String] = ["bluetooth-central"],
    _ make: @escaping @MainActor @Sendable () -> Explorer = { Explorer([CBUUID(string: "180D")], restores: "explorer") }
  ) async -> (app: App, launches: Launches<Explorer>) {
    let launches = Launches<Explorer>()
    let app = phone.launch("org.example.explorer", backgroundModes: backgroundModes) { launches.keep(make()) }
    await air.advance(by: .seconds(3))
    // On iOS 11 the app may write soon after the connection.
    #expect(
      launches.last.take().filter { $0 != "ready" } == [
        "state 5", "discovered Strap", "connected", #"services ["180D"]"#, #"180D has ["2A37"]"#, "notifying 2A37 true",
      ])
    return (app, launches)
  }

  @Test("scans, connects, discovers, reads, writes and subscribes")
  func centralUse() async throws {
    let air = Air()
    let strap = Self.strap(on: air)
    let phone = Phone(on: air)
    let (_, launches) = await Self.connected(phone, on: air)
    let explorer = launches.last
    let characteristic = explorer.characteristic("2A37")
    let peripheral = explorer.peripherals[0]
    peripheral.writeValue(Data([1, 2]), for: characteristic, type: .withResponse)
    peripheral.readValue(for: characteristic)
    peripheral.writeValue(Data([3]), for: characteristic, type: .withoutResponse)
    peripheral.readRSSI()
    peripheral.discoverDescriptors(for: characteristic)
    await air.advance(by: .seconds(1))
    strap.set(Self.measurement, to: [9])
    await air.advance(by: .seconds(1))
    let expected = [
      "written 2A37", "value 2A37 [1, 2]", "RSSI -50", #"descriptors ["2902"]"#, "value 2A37 [9]",
    ]
    #expect(explorer.take() == expected)
    #expect(strap.writes(to: Self.measurement) == [[1, 2], [3]])
    explorer.manager.cancelPeripheralConnection(peripheral)
    #expect(peripheral.state == .disconnecting)
    await air.advance(by: .seconds(1))
    #expect(explorer.take() == ["disconnected"])
    #expect(peripheral.state == .disconnected && peripheral.services == nil)
  }

  @Test("connects again while its former connection ends")
  func connectingAgain() async throws {
    let air = Air()
    let strap = Self.strap(on: air)
    let (_, launches) = await Self.connected(Phone(on: air), on: air)
    let explorer = launches.last
    explorer.manager.cancelPeripheralConnection(explorer.peripherals[0])
    await air.advance(by: .milliseconds(1))
    explorer.manager.connect(explorer.peripherals[0])
    await air.advance(by: .seconds(3))
    #expect(explorer.take().prefix(2) == ["disconnected", "connected"])
    withExtendedLifetime(strap) {}
  }

  @Test("is woken by a notification, and by the loss of the connection")
  func centralWake() async throws {
    let air = Air()
    let strap = Self.strap(on: air)
    let phone = Phone(on: air)
    let (app, launches) = await Self.connected(phone, on: air)
    phone.moveToBackground()
    await air.advance(by: .seconds(60))
    #expect(app.state == .suspended)
    strap.set(Self.measurement, to: [5])
    await air.advance(by: .milliseconds(100))
    #expect(app.state == .background)
    #expect(launches.last.take() == ["value 2A37 [5]"])
    await air.advance(by: .seconds(30))
    #expect(app.state == .suspended)
    try air.link(phone, strap).drop()
    await air.advance(by: .seconds(1))
    #expect(launches.last.take() == ["disconnected CBErrorDomain 6"])
  }

  @Test("receives in the foreground what has happened while it was suspended, without bluetooth-central")
  func foregroundOnlyCentral() async throws {
    let air = Air()
    let strap = Self.strap(on: air)
    let phone = Phone(on: air)
    let (app, launches) = await Self.connected(phone, on: air, backgroundModes: []) {
      let explorer = Explorer([CBUUID(string: "180D")])
      explorer.options = [CBConnectPeripheralOptionNotifyOnNotificationKey: true]
      return explorer
    }
    phone.moveToBackground()
    await air.advance(by: .seconds(60))
    for value in 1...3 {
      strap.set(Self.measurement, to: [UInt8(value)])
      await air.advance(by: .seconds(1))
    }
    strap.switchPower(on: false)
    await air.advance(by: .seconds(10))
    #expect(app.state == .suspended && launches.last.lines == [])
    let alert = "alert           org.example.explorer  \(strap.address)  a notification"
    #expect(air.trace.count { $0.hasSuffix(alert) } == 3)
    phone.moveToForeground()
    await air.advance(by: .milliseconds(10))
    #expect(
      launches.last.take() == [
        "value 2A37 [1]", "value 2A37 [2]", "value 2A37 [3]", "disconnected CBErrorDomain 7",
      ])
  }

  @Test("learns when a connection was lost, on virtual time and after a suspension")
  func timesOfLosses() async throws {
    let air = Air()
    let strap = Self.strap(on: air)
    let phone = Phone(on: air)
    let (app, launches) = await Self.connected(phone, on: air, backgroundModes: []) {
      let explorer = Explorer([CBUUID(string: "180D")])
      explorer.reconnects = true
      return explorer
    }
    phone.moveToBackground()
    await air.advance(by: .seconds(60))
    try air.link(phone, strap).drop()
    await air.advance(by: .seconds(600))
    #expect(app.state == .suspended && launches.last.losses == [])
    phone.moveToForeground()
    await air.advance(by: .seconds(60))
    try air.link(phone, strap).drop()
    await air.advance(by: .seconds(10))
    // Both ends are some moments after the drop. The virtual air begins on 2026-01-01.
    let losses = launches.last.losses
    try #require(losses.count == 2)
    let beginning = 788_918_400.0
    #expect((beginning + 63..<beginning + 70).contains(losses[0]))
    #expect((660..<670).contains(losses[1] - losses[0]))
  }

  @Test("is relaunched by a notification, with its connection and its subscription")
  func centralRestoration() async throws {
    let air = Air()
    let strap = Self.strap(on: air)
    let phone = Phone(on: air)
    let (app, launches) = await Self.connected(phone, on: air)
    phone.moveToBackground()
    await air.advance(by: .seconds(60))
    phone.terminate(.memoryPressure)
    await air.advance(by: .seconds(3600))
    #expect(app.state == .notRunning)
    strap.set(Self.measurement, to: [7])
    await air.advance(by: .seconds(1))
    #expect(app.launches == 2)
    #expect(launches.last.take() == [#"restore ["2 1 1"], scan []"#, "state 5", "value 2A37 [7]"])
    let restored = "restored        org.example.explorer  1 peripheral (\(strap.address)), 1 subscription"
    #expect(air.trace.contains { $0.hasSuffix(restored) })
    // A pending connection outlives the app, too.
    launches.last.reconnects = true
    strap.switchPower(on: false)
    await air.advance(by: .seconds(1))
    #expect(launches.last.take() == ["disconnected CBErrorDomain 7"])
    await air.advance(by: .seconds(60))
    phone.terminate(.memoryPressure)
    await air.advance(by: .seconds(86400))
    strap.switchPower(on: true)
    await air.advance(by: .seconds(5))
    #expect(app.launches == 3)
    #expect(launches.last.take().starts(with: [#"restore ["2 0 0"], scan []"#, "state 5", "connected"]))
    withExtendedLifetime(strap) {}
  }

  @Test("is relaunched by a discovery, also while the screen is off")
  func centralDiscovery() async throws {
    let air = Air()
    let phone = Phone(on: air)
    let launches = Launches<Explorer>()
    let app = phone.launch("org.example.explorer") {
      launches.keep(Explorer([CBUUID(string: "180D")], restores: "explorer", connects: false))
    }
    phone.lock()
    await air.advance(by: .seconds(60))
    phone.terminate(.memoryPressure)
    await air.advance(by: .seconds(60))
    let strap = Self.strap(on: air)
    await air.advance(by: .seconds(60))
    #expect(app.launches == 2)
    #expect(launches.last.take() == [#"restore [], scan ["180D"]"#, "state 5", "discovered Strap"])
    withExtendedLifetime(strap) {}
  }

  @Test("loses all with Bluetooth, without a callback for its connection")
  func centralPower() async throws {
    let air = Air()
    let strap = Self.strap(on: air)
    let phone = Phone(on: air)
    let (_, launches) = await Self.connected(phone, on: air)
    let explorer = launches.last
    phone.switchBluetooth(on: false)
    await air.advance(by: .seconds(1))
    #expect(explorer.take() == ["state 4"])
    #expect(explorer.peripherals[0].state == .disconnected && explorer.peripherals[0].services == nil)
    phone.switchBluetooth(on: true)
    await air.advance(by: .seconds(5))
    #expect(explorer.take() == ["state 5"])
    explorer.manager.connect(explorer.peripherals[0])
    await air.advance(by: .seconds(5))
    #expect(explorer.take().first == "connected")
    withExtendedLifetime(strap) {}
  }

  @Test("pairs where a read requires it, and gets the value")
  func centralPairing() async throws {
    let air = Air()
    let strap = Self.strap(on: air, pairs: true)
    strap.set(Self.measurement, to: [8])
    let phone = Phone(on: air)
    let launches = Launches<Explorer>()
    phone.launch { launches.keep(Explorer()) }
    await air.advance(by: .seconds(3))
    let explorer = launches.last
    explorer.lines = []
    explorer.peripherals[0].readValue(for: explorer.characteristic("2A37"))
    await air.advance(by: .seconds(3))
    #expect(explorer.take() == ["value 2A37 [8]"])
    withExtendedLifetime(strap) {}
  }

  @Test("shares a connection and a subscription with another app")
  func sharedLink() async throws {
    let air = Air()
    let strap = Self.strap(on: air)
    let phone = Phone(on: air)
    let (_, launches) = await Self.connected(phone, on: air)
    let others = Launches<Explorer>()
    phone.launch("org.example.other") { others.keep(Explorer()) }
    await air.advance(by: .seconds(3))
    // The strap advertises to nobody while it is connected; the other app knows it by its identifier.
    let identifier = launches.last.peripherals[0].identifier
    let other = others.last
    #expect(other.take() == ["state 5"])
    let found = other.manager.retrieveConnectedPeripherals(withServices: [CBUUID(string: "180D")])
    #expect(found.map(\.identifier) == [identifier])
    other.peripherals = found
    found[0].delegate = other
    other.manager.connect(found[0])
    await air.advance(by: .seconds(1))
    #expect(
      other.take() == ["connected", #"services ["180D"]"#, #"180D has ["2A37"]"#, "notifying 2A37 true"])
    launches.last.manager.cancelPeripheralConnection(launches.last.peripherals[0])
    strap.set(Self.measurement, to: [4])
    await air.advance(by: .seconds(1))
    #expect(other.take() == ["value 2A37 [4]"])
    let neighbor = Central(on: air)
    #expect(await !neighbor.discovers(.localName("Strap"), within: .seconds(2)))
    other.manager.cancelPeripheralConnection(found[0])
    #expect(await neighbor.discovers(.localName("Strap"), within: .seconds(2)))
    withExtendedLifetime(strap) {}
  }
}
