// swift-format-ignore-file: AlwaysUseLowerCamelCase

import BleperaBluetooth
import BleperaTesting
import CoreBluetooth
import Testing

/// Two iPhones with the same app, which has both roles.
extension StoryTests {
  private static func launch(on phone: Phone, _ name: String, answerDelay: Duration = .zero) -> Launches<Tracer> {
    let launches = Launches<Tracer>()
    phone.launch("org.example.\(name)") { launches.keep(Tracer(name)) }.answerDelay = answerDelay
    return launches
  }

  @Test("of each phone finds the other and uses it, over one connection")
  func bothRoles() async throws {
    let air = Air()
    let (first, second) = (Phone(on: air, named: "first"), Phone(on: air, named: "second"))
    let (ann, bob) = (Self.launch(on: first, "ann"), Self.launch(on: second, "bob"))
    await air.advance(by: .seconds(10))
    #expect(ann.last.explorer.read == ["bob"] && bob.last.explorer.read == ["ann"])
    // The peer has one identifier in both roles.
    #expect(ann.last.explorer.peripherals.map(\.identifier) == ann.last.readers)
    #expect(bob.last.explorer.peripherals.map(\.identifier) == bob.last.readers)
  }

  @Test("connects at the same instant as the other, over one link, and learns of a central by its first request")
  func connectingAtOnce() async throws {
    let air = Air()
    let phones = [Phone(on: air, named: "first"), Phone(on: air, named: "second")]
    let launches = phones.map { phone in
      let launches = Launches<Caller>()
      phone.launch("org.example.\(phone.name)") { launches.keep(Caller()) }
      return launches
    }
    await air.advance(by: .seconds(5))
    let apps = launches.map(\.last)
    for app in apps {
      #expect(app.explorer.peripherals.count == 1, "\(app.explorer.lines)")
      app.explorer.manager.stopScan()
      (app.lines, app.explorer.lines) = ([], [])
    }
    for app in apps { app.explorer.manager.connect(app.explorer.peripherals[0]) }
    await air.advance(by: .seconds(10))
    #expect(apps.map { $0.explorer.take() } == [["connected"], ["connected"]])
    #expect(apps.map(\.lines) == [[], []])
    // Both phones report the link, at the time at which it was made.
    let links = air.trace.filter { $0.contains("  connected to ") }
    #expect(links.count == 2 && Set(links.map { $0.prefix { $0 != " " } }).count == 1, "\(links)")

    for app in apps { app.explorer.peripherals[0].discoverServices(nil) }
    await air.advance(by: .seconds(10))
    let used = [#"services ["1815"]"#, #"1815 has ["2A56", "2A57"]"#, "notifying 2A57 true"]
    #expect(apps.map { $0.explorer.take() } == [used, used])
    #expect(apps.map(\.lines) == [["subscribed 2A57"], ["subscribed 2A57"]])

    try air.link(phones[0], phones[1]).drop()
    await air.advance(by: .seconds(5))
    #expect(apps.map { $0.explorer.take() } == Array(repeating: ["disconnected CBErrorDomain 6"], count: 2))
    #expect(apps.map(\.lines) == Array(repeating: ["subscribed 2A57", "unsubscribed 2A57"], count: 2))
    #expect(throws: StoryFailure.notConnected) { try air.link(phones[1], phones[0]).drop() }
  }

  /// Two phones with the app, in the dark; met where `areNear` from the start.
  ///
  /// - Parameter answerDelay: How long `bob` takes to respond.
  private static func dark(
    _ air: Air, areNear: Bool, answerDelay: Duration = .zero
  ) async -> (first: Phone, second: Phone, ann: Launches<Tracer>, bob: Launches<Tracer>) {
    let (first, second) = (Phone(on: air, named: "first"), Phone(on: air, named: "second"))
    air.link(first, second).loss = areNear ? nil : 1
    let (ann, bob) = (launch(on: first, "ann"), launch(on: second, "bob", answerDelay: answerDelay))
    if areNear { await air.advance(by: .seconds(10)) }
    first.lock()
    second.lock()
    await air.advance(by: .seconds(60))
    return (first, second, ann, bob)
  }

  // Developers of contact tracing apps have reported these cases of two iPhones; each follows from the rules.

  @Test("does not find the other while both are in the background and dark (opentrace-ios issue 4)")
  func firstMeeting() async throws {
    let air = Air()
    let (first, second, ann, bob) = await Self.dark(air, areNear: false)
    air.link(first, second).loss = nil
    await air.advance(by: .seconds(3600))
    #expect(ann.last.read == 0 && bob.last.read == 0)
  }

  @Test("finds the other once one is in the foreground, or its screen is lit (NHS COVID-19-app-iOS-BETA issue 2)")
  func litMeeting() async throws {
    for isOpened in [true, false] {
      let air = Air()
      let (first, second, ann, _) = await Self.dark(air, areNear: false)
      air.link(first, second).loss = nil
      first.unlock()
      if !isOpened { first.moveToBackground() }
      await air.advance(by: .seconds(120))
      #expect(ann.last.read == 1)
    }
  }

  @Test("wakes the other's suspended app, and relaunches a terminated one (C19X-iOS-BLE)")
  func connectedPhones() async throws {
    let air = Air()
    let (first, second, ann, bob) = await Self.dark(air, areNear: true)
    #expect(ann.last.read == 1 && bob.last.read == 1)
    first.unlock()
    ann.last.readAgain()
    await air.advance(by: .seconds(5))
    #expect(ann.last.read == 2)
    let former = bob.count
    second.terminate(.memoryPressure)
    await air.advance(by: .seconds(60))
    ann.last.readAgain()
    await air.advance(by: .seconds(10))
    #expect(ann.last.read == 3 && bob.count == former + 1)
  }

  @Test("loses the other that was in airplane mode for more than a minute, until one is in the foreground (C19X)")
  func airplaneMode() async throws {
    let air = Air()
    let (_, second, ann, bob) = await Self.dark(air, areNear: true)
    let (before, count) = (ann.last.read, bob.last.read)
    second.switchBluetooth(on: false)
    await air.advance(by: .seconds(90))
    second.switchBluetooth(on: true)
    await air.advance(by: .seconds(600))
    #expect(ann.last.read == before)
    second.unlock()
    await air.advance(by: .seconds(120))
    #expect(ann.last.read > before || bob.last.read > count)
  }

  @Test("meets the other again that was out of range, unless its address has changed meanwhile (C19X)")
  func outOfRange() async throws {
    for (minutes, meets) in [(2, true), (40, false)] {
      let air = Air()
      let (first, second, ann, bob) = await Self.dark(air, areNear: true)
      let before = ann.last.read + bob.last.read
      air.link(first, second).loss = 1
      await air.advance(by: .seconds(minutes * 60))
      air.link(first, second).loss = nil
      await air.advance(by: .seconds(600))
      #expect((ann.last.read + bob.last.read > before) == meets, "\(minutes) minutes")
    }
  }

  @Test("is relaunched by a connection that has waited for days (bitchat issue 1396)")
  func longWait() async throws {
    let air = Air()
    let accessory = Accessory(
      on: air, named: "tag", advertising: [BluetoothUUID(Tracer.service.uuidString)!],
      services: [ServiceDefinition(uuid: BluetoothUUID(Tracer.service.uuidString)!, characteristics: [])])
    let phone = Phone(on: air)
    let ann = Self.launch(on: phone, "ann")
    await air.advance(by: .seconds(10))
    accessory.switchPower(on: false)
    phone.lock()
    await air.advance(by: .seconds(60))
    phone.terminate(.memoryPressure)
    await air.advance(by: .seconds(2 * 86_400))
    let former = ann.count
    accessory.switchPower(on: true)
    await air.advance(by: .seconds(60))
    #expect(ann.count == former + 1)
  }

  @Test("loses a write with the connection, and keeps both over a new address (C19X: the write is kept for a minute)")
  func pendingWrite() async throws {
    let air = Air()
    let (first, second, ann, bob) = await Self.dark(air, areNear: true)
    first.unlock()
    await air.advance(by: .seconds(20 * 60))
    ann.last.write([1])
    await air.advance(by: .seconds(5))
    #expect(bob.last.written == [[1]])
    let before = ann.last.read
    air.link(first, second).loss = 1
    ann.last.write([2])
    await air.advance(by: .seconds(20))
    air.link(first, second).loss = nil
    await air.advance(by: .seconds(120))
    #expect(ann.last.read > before && bob.last.written == [[1]])
  }

  @Test("is woken by a third device that reads, but not by its connection (NHS COVID-19-app-iOS-BETA issue 2: by both)")
  func thirdDevice() async throws {
    let air = Air()
    let phones = [Phone(on: air, named: "first"), Phone(on: air, named: "second")]
    let apps = phones.map { phone in phone.launch("org.example.\(phone.name)") { Tracer(phone.name) } }
    await air.advance(by: .seconds(10))
    for phone in phones { phone.lock() }
    await air.advance(by: .seconds(60))
    let third = Central(on: air, named: "third")
    for (phone, app) in zip(phones, apps) {
      try await third.connect(to: phone)
      await air.advance(by: .seconds(1))
      #expect(app.state == .suspended)
      _ = try await third.read(BluetoothUUID(Tracer.characteristic.uuidString)!)
      #expect(app.state == .background)
      await third.disconnect()
    }
  }

  @Test("measures the other's distance in each 30 s once they have met, and never before (Herald: 99.5 percent)")
  func distances() async throws {
    for haveMet in [true, false] {
      let air = Air()
      // Each delayed response comes within the 10 s after which the app that has asked would be suspended, and so does
      // each request for the other app.
      let (first, second, ann, _) = await Self.dark(air, areNear: haveMet, answerDelay: .seconds(8))
      air.link(first, second).loss = nil
      ann.last.explorer.measures = true
      if haveMet {
        first.unlock()
        ann.last.readAgain()
        first.lock()
      }
      var windows = 0
      for _ in 0..<120 {
        ann.last.explorer.lines = []
        await air.advance(by: .seconds(30))
        if ann.last.explorer.lines.contains(where: { $0.hasPrefix("RSSI") }) { windows += 1 }
      }
      #expect(windows == (haveMet ? 120 : 0))
    }
  }
}

/// An app with both roles that connects, and uses its peer, when the test says so.
private final class Caller: Recorder, @unchecked Sendable {
  let explorer = CentralHalf()

  final class CentralHalf: Explorer, @unchecked Sendable {
    init() { super.init([Recorder.service], connects: false) }

    override func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { note("connected") }

    override func peripheralDidUpdateName(_ peripheral: CBPeripheral) {}
  }
}

/// Advertises a service, connects to each peer that has it, and reads the peer's name.
///
/// @unchecked: the story waits for each callback, so the test and the callbacks never run at the same time.
private final class Tracer: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
  static var service: CBUUID { CBUUID(string: "A1B2C3D4-0000-4000-8000-000000000001") }
  static var characteristic: CBUUID { CBUUID(string: "A1B2C3D4-0000-4000-8000-000000000002") }

  let explorer: Reader
  private var manager: CBPeripheralManager!
  private let name: String
  var readers: [UUID] = []

  /// The number of times that the app has read a peer's name.
  var read: Int { explorer.read.count }

  var written: [[UInt8]] = []

  func readAgain() { useAll { $0.readValue(for: $1) } }

  func write(_ value: [UInt8]) { useAll { $0.writeValue(Data(value), for: $1, type: .withResponse) } }

  private func useAll(_ use: (CBPeripheral, CBCharacteristic) -> Void) {
    let all = explorer.peripherals.flatMap { peripheral in (peripheral.services ?? []).map { (peripheral, $0) } }
    for (peripheral, service) in all {
      for characteristic in service.characteristics ?? [] { use(peripheral, characteristic) }
    }
  }

  init(_ name: String) {
    self.name = name
    explorer = Reader()
    super.init()
    manager = CBPeripheralManager(
      delegate: self, queue: nil, options: [CBPeripheralManagerOptionRestoreIdentifierKey: "peripheral"])
  }

  private var isRestored = false

  func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) { isRestored = true }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    guard peripheral.state == .poweredOn, !isRestored else { return }
    let service = CBMutableService(type: Self.service, primary: true)
    service.characteristics = [
      CBMutableCharacteristic(
        type: Self.characteristic, properties: [.read, .write], value: nil, permissions: [.readable, .writeable])
    ]
    peripheral.add(service)
    peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [Self.service]])
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    if !readers.contains(request.central.identifier) { readers.append(request.central.identifier) }
    request.value = Data(name.utf8)
    peripheral.respond(to: request, withResult: .success)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    written += requests.map { Array($0.value ?? Data()) }
    peripheral.respond(to: requests[0], withResult: .success)
  }

  /// The central role of the app.
  final class Reader: Explorer, @unchecked Sendable {
    var read: [String] = []
    /// Whether it measures the distance with each value, and reads again.
    var measures = false

    init() { super.init([Tracer.service], restores: "central") }

    override func centralManagerDidUpdateState(_ central: CBCentralManager) {
      if central.state == .poweredOn { central.scanForPeripherals(withServices: [Tracer.service]) }
    }

    override func centralManager(
      _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
      rssi RSSI: NSNumber
    ) {
      if !peripherals.contains(peripheral) { peripherals.append(peripheral) }
      peripheral.delegate = self
      central.connect(peripheral)
    }

    override func centralManager(
      _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
      central.connect(peripheral)
    }

    override func peripheral(
      _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
      for characteristic in service.characteristics ?? [] { peripheral.readValue(for: characteristic) }
    }

    override func peripheral(
      _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
      read.append(String(decoding: characteristic.value ?? Data(), as: UTF8.self))
      guard measures else { return }
      peripheral.readRSSI()
      peripheral.readValue(for: characteristic)
    }
  }
}
