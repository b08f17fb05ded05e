import BleperaBluetooth
import BleperaTesting
import CoreBluetooth
import Testing

/// An app's connection, scan and identifiers after the app, the phone or a peripheral has changed.
extension StoryTests {
  enum End: CaseIterable { case memoryPressure, crash, forceQuit, bluetoothOff, reboot }

  /// The table of `docs/central.md`: whether a value of the strap relaunches the app.
  private static let ends: [(end: End, ios: Int, isRestorable: Bool, stays: Bool)] =
    End.allCases.map { ($0, 26, false, false) } + [
      (.memoryPressure, 26, true, true), (.crash, 26, true, true), (.forceQuit, 26, true, false),
      (.bluetoothOff, 26, true, false), (.reboot, 26, true, true), (.reboot, 11, true, true),
      (.reboot, 10, true, false),
    ]

  @Test("has its connection after its end, or has not", arguments: ends)
  func end(_ end: End, ios: Int, isRestorable: Bool, stays: Bool) async throws {
    let air = Air()
    let strap = Self.strap(on: air)
    let phone = Phone(on: air, ios: ios)
    let (app, launches) = await Self.connected(phone, on: air) {
      Explorer([CBUUID(string: "180D")], restores: isRestorable ? "explorer" : nil)
    }
    phone.moveToBackground()
    await air.advance(by: .seconds(60))
    switch end {
    case .memoryPressure: phone.terminate(.memoryPressure)
    case .crash: phone.terminate(.crash, app)
    case .forceQuit: phone.forceQuit()
    case .bluetoothOff:
      phone.terminate(.memoryPressure)
      for isOn in [false, true] { phone.switchBluetooth(on: isOn) }
    case .reboot:
      phone.reboot()
      await air.advance(by: .seconds(60))
      #expect(app.launches == 1)
      phone.unlock()
    }
    await air.advance(by: .seconds(30))
    strap.set(Self.measurement, to: [7])
    await air.advance(by: .seconds(5))
    #expect(app.launches == (stays ? 2 : 1))
    if stays {
      #expect(
        launches.last.take().starts(with: [
          end == .reboot ? #"restore ["2 0 0"], scan []"# : #"restore ["2 1 1"], scan []"#, "state 5",
        ]))
    }
    // The strap advertises where nobody is connected.
    #expect(await Central(on: air).discovers(.localName("Strap"), within: .seconds(5)) != stays)
  }

  @Test("is restored when the user opens it")
  func openedByHand() async throws {
    let air = Air()
    let strap = Self.strap(on: air)
    let phone = Phone(on: air)
    let (app, launches) = await Self.connected(phone, on: air)
    phone.moveToBackground()
    phone.terminate(.memoryPressure)
    await air.advance(by: .seconds(60))
    #expect(app.launches == 1)
    phone.launch(app)
    await air.advance(by: .seconds(1))
    #expect(launches.last.take().starts(with: [#"restore ["2 1 1"], scan []"#, "state 5"]))
    withExtendedLifetime(strap) {}
  }

  @Test("restores each of its managers that has something to restore, and is launched for these")
  func centralManagers() async throws {
    let air = Air()
    let strap = Self.strap(on: air)
    let phone = Phone(on: air)
    let launches = Launches<(Explorer, Explorer)>()
    let identifiers = Launches<[String]>()
    phone.launch("org.example.two") {
      _ = identifiers.keep(ProcessInfo.processInfo.bluetoothCentrals ?? ["user"])
      return launches.keep((Idle(restores: "idle"), Explorer([CBUUID(string: "180D")], restores: "used")))
    }
    await air.advance(by: .seconds(3))
    phone.moveToBackground()
    phone.terminate(.memoryPressure)
    await air.advance(by: .seconds(60))
    strap.set(Self.measurement, to: [7])
    await air.advance(by: .seconds(1))
    #expect(identifiers.last == ["used"] && identifiers.count == 2)
    #expect(launches.last.0.lines == ["state 5"])
    #expect(launches.last.1.lines == [#"restore ["2 1 1"], scan []"#, "state 5", "value 2A37 [7]"])
  }

  @Test("learns in the background that Bluetooth is off, or in the foreground without bluetooth-central")
  func switched() async throws {
    for hasMode in [true, false] {
      let air = Air()
      let strap = Self.strap(on: air)
      let phone = Phone(on: air)
      let (app, launches) = await Self.connected(phone, on: air, backgroundModes: hasMode ? ["bluetooth-central"] : [])
      {
        Explorer([CBUUID(string: "180D")], restores: hasMode ? "explorer" : nil)
      }
      phone.moveToBackground()
      await air.advance(by: .seconds(60))
      phone.switchBluetooth(on: false)
      await air.advance(by: .milliseconds(100))
      #expect(app.state == (hasMode ? .background : .suspended))
      #expect(launches.last.take() == (hasMode ? ["state 4"] : []))
      phone.switchBluetooth(on: true)
      phone.moveToForeground()
      await air.advance(by: .milliseconds(100))
      #expect(launches.last.take() == (hasMode ? ["state 5"] : ["state 4", "state 5"]))
      withExtendedLifetime(strap) {}
    }
  }

  @Test("has to discover its peripheral again after a reset")
  func centralReset() async throws {
    let air = Air()
    let strap = Self.strap(on: air)
    let phone = Phone(on: air)
    let (_, launches) = await Self.connected(phone, on: air)
    let explorer = launches.last
    phone.resetBluetooth()
    await air.advance(by: .seconds(1))
    #expect(explorer.take() == ["state 1", "state 5"])
    explorer.manager.connect(explorer.peripherals[0])
    await air.advance(by: .seconds(3))
    #expect(explorer.take() == [])
    let former = explorer.peripherals.removeFirst()
    explorer.manager.scanForPeripherals(withServices: nil)
    await air.advance(by: .seconds(3))
    #expect(explorer.take().starts(with: ["discovered Strap", "connected"]))
    #expect(explorer.peripherals == [former] && explorer.peripherals[0] !== former)
    withExtendedLifetime(strap) {}
  }

  @Test("learns why it cannot use Bluetooth", arguments: [(true, false, 2), (false, true, 3)])
  func unusable(isAuthorized: Bool, supportsBluetooth: Bool, state: Int) async {
    let air = Air()
    let launches = Launches<Explorer>()
    let phone = Phone(on: air, isAuthorized: isAuthorized, supportsBluetooth: supportsBluetooth)
    phone.launch { launches.keep(Explorer()) }
    await air.advance(by: .seconds(1))
    #expect(launches.last.lines == ["state \(state)"])
  }

  @Test("discovers what it waits for before it is connected, where one packet serves both")
  func discoveryAndConnection() async throws {
    var discoveries = 0
    for number in 0..<8 {
      let air = Air()
      let strap = Self.strap(on: air)
      let launches = Launches<Explorer>()
      Phone(on: air).launch("org.example.explorer") {
        launches.keep(Explorer([CBUUID(string: "180D")], connects: false))
      }
      await air.advance(by: .seconds(3))
      let explorer = launches.last
      strap.switchPower(on: false)
      explorer.manager.stopScan()
      explorer.manager.scanForPeripherals(withServices: [CBUUID(string: "180D")])
      explorer.manager.connect(explorer.peripherals[0])
      await air.advance(by: .milliseconds(number * 5))
      explorer.lines = []
      strap.switchPower(on: true)
      await air.advance(by: .seconds(3))
      // The windows of the scan and of the connection are open at different times.
      if explorer.lines.contains("discovered Strap") {
        #expect(explorer.lines.starts(with: ["discovered Strap", "connected"]))
        discoveries += 1
      }
    }
    #expect(discoveries > 0)
  }

  @Test("has both roles on a connection, and learns of its loss in both")
  func lossInBothRoles() async throws {
    let air = Air()
    let phones = [Phone(on: air, named: "first"), Phone(on: air, named: "second")]
    let launches = Launches<Both>()
    for phone in phones { phone.launch("org.example.\(phone.name)") { launches.keep(Both()) } }
    await air.advance(by: .seconds(10))
    let explorer = launches.last.explorer
    #expect(explorer.take().contains("subscribed 2A57"))
    try air.link(phones[0], phones[1]).drop()
    await air.advance(by: .seconds(1))
    #expect(explorer.lines.prefix(2) == ["disconnected CBErrorDomain 6", "unsubscribed 2A57"])
  }

  @Test("waits longer for a peripheral in the dark than with a lit screen")
  func timesOfWaits() async throws {
    var means: [Duration] = []
    let count = 100
    for isLit in [true, false] {
      let air = Air()
      let strap = Self.strap(on: air, interval: .microseconds(417_500))
      let phone = Phone(on: air)
      let launches = Launches<Explorer>()
      phone.launch("org.example.explorer", backgroundModes: ["bluetooth-central"]) {
        launches.keep(Explorer([CBUUID(string: "180D")]))
      }
      await air.advance(by: .seconds(60))
      let explorer = launches.last
      explorer.reconnects = true
      phone.moveToBackground()
      if !isLit { phone.lock() }
      var total = Duration.zero
      for _ in 0..<count {
        strap.switchPower(on: false)
        await air.advance(by: .milliseconds(31_300))
        _ = explorer.take()
        strap.switchPower(on: true)
        let start = air.now
        while !explorer.lines.contains("connected"), air.now - start < .seconds(150) {
          await air.advance(by: .milliseconds(100))
        }
        total += air.now - start
        // The app is suspended again.
        await air.advance(by: .seconds(15))
      }
      means.append(total / count)
    }
    print(
      "A peripheral that advertises each 417.5 ms is connected after \(means[0]) lit and \(means[1]) dark, on average")
    #expect(means[1] > means[0] * 1.5)
  }

  @Test(
    "knows a peripheral by each private address, and by its identity once they are bonded", arguments: [false, true])
  func privateAddress(isBonded: Bool) async throws {
    let air = Air()
    let strap = Self.strap(on: air, pairs: isBonded, address: .resolvable)
    let phone = Phone(on: air)
    let launches = Launches<Explorer>()
    phone.launch { launches.keep(Explorer([CBUUID(string: "180D")])) }
    await air.advance(by: .seconds(3))
    let explorer = launches.last
    let first = explorer.peripherals[0]
    first.readValue(for: explorer.characteristic("2A37"))
    await air.advance(by: .seconds(3))
    explorer.manager.cancelPeripheralConnection(first)
    await air.advance(by: .seconds(1000))
    explorer.manager.scanForPeripherals(withServices: [CBUUID(string: "180D")])
    await air.advance(by: .seconds(3))
    #expect(explorer.peripherals.count == (isBonded ? 1 : 2))
    #expect(explorer.manager.retrievePeripherals(withIdentifiers: [first.identifier]) == [first])
    withExtendedLifetime(strap) {}
  }

  @Test("learns of services that its peripheral adds, removes, and adds again")
  func modifiedServices() async throws {
    let air = Air()
    let (recorders, launches) = (Launches<Recorder>(), Launches<Explorer>())
    Phone(on: air, named: "other").launch("org.example.recorder") { recorders.keep(Recorder()) }
    Phone(on: air, named: "phone").launch("org.example.explorer") { launches.keep(Explorer([Recorder.service])) }
    await air.advance(by: .seconds(5))
    let (explorer, recorder) = (launches.last, recorders.last)
    #expect(explorer.take().last == "notifying 2A57 true")
    let service = recorder.services[0]
    let others = ["1816", "181A"].map { CBMutableService(type: CBUUID(string: $0), primary: true) }
    func change(_ body: (CBPeripheralManager) -> Void) async -> [String] {
      body(recorder.manager)
      await air.advance(by: .seconds(1))
      return explorer.take()
    }
    #expect(await change { $0.add(others[0]) } == ["modified []"])
    // The services that were discovered before are still valid.
    #expect(
      await change { $0.updateValue(Data([7]), for: recorder.state, onSubscribedCentrals: nil) } == ["value 2A57 [7]"])
    #expect(await change { $0.remove(service) } == [#"modified ["1815"]"#])
    // At its former handles; then, as another service is there, at others.
    #expect(await change { $0.add(service) } == ["modified []"])
    explorer.peripherals[0].discoverServices([Recorder.service])
    #expect(await change { _ in }.prefix(2) == [#"services ["1815"]"#, #"1815 has ["2A56", "2A57"]"#])
    #expect(await change { $0.remove(service) } == [#"modified ["1815"]"#])
    #expect(await change { $0.add(others[1]) } == ["modified []"])
    #expect(await change { $0.add(service) } == ["modified []"])
    explorer.peripherals[0].discoverServices([Recorder.service])
    #expect(await change { _ in }.contains("notifying 2A57 true"))
  }

  @Test(
    "writes at most what the phone's version, its kind and the peripheral exchange",
    arguments: [
      (14, .earlier, 182), (15, .upTo6s, 182), (15, .earlier, 514), (18, .earlier, 514), (26, .n1, 514),
    ] as [(Int, PhoneKind, Int)])
  func writeLength(ios: Int, kind: PhoneKind, length: Int) async throws {
    let air = Air()
    let strap = Self.strap(on: air)
    let (_, launches) = await Self.connected(Phone(on: air, ios: ios, kind: kind), on: air)
    #expect(launches.last.peripherals[0].maximumWriteValueLength(for: .withoutResponse) == length)
    withExtendedLifetime(strap) {}
  }

  @Test(
    "sends all that its properties allow, and receives it, between two phones of each version",
    arguments: [(14, 182), (15, 524), (17, 524), (18, 524), (26, 524), (27, 524)])
  func fullPackets(ios: Int, length: Int) async throws {
    let air = Air()
    let (recorders, launches) = (Launches<Packets>(), Launches<Early>())
    Phone(on: air, named: "other", ios: ios).launch("org.example.packets") { recorders.keep(Packets()) }
    Phone(on: air, named: "phone", ios: ios).launch("org.example.early") { launches.keep(Early([Packets.service])) }
    await air.advance(by: .seconds(5))
    let (explorer, recorder) = (launches.last, recorders.last)
    // The ATT_MTU is exchanged after the connection (dotnet-bluetooth-le issue 948).
    #expect(explorer.early == [20, 512])
    let (peripheral, characteristic) = (explorer.peripherals[0], explorer.characteristic("2A56"))
    #expect(peripheral.maximumWriteValueLength(for: .withoutResponse) == length)
    #expect(peripheral.maximumWriteValueLength(for: .withResponse) == 512)
    #expect(recorder.centrals.map(\.maximumUpdateValueLength) == [length])
    recorder.lines = []
    for (count, type) in [(length, CBCharacteristicWriteType.withoutResponse), (512, .withResponse)] {
      peripheral.writeValue(Data(repeating: 1, count: count), for: characteristic, type: type)
      await air.advance(by: .seconds(1))
    }
    #expect(recorder.lines == ["write 0:\(length)", "write " + Self.pieces(of: 512, fitting: length)])
    #expect(explorer.take().last == "written 2A56")
    #expect(
      recorder.manager.updateValue(Data(repeating: 2, count: length), for: recorder.command, onSubscribedCentrals: nil))
    await air.advance(by: .seconds(1))
    #expect(explorer.take() == ["value 2A56 \([UInt8](repeating: 2, count: length))"])
    #expect(!air.trace.contains { $0.contains("cut after") || $0.contains("not written") })

    // A value that is too long is cut or not sent, and is reported.
    peripheral.writeValue(Data(repeating: 1, count: length + 1), for: characteristic, type: .withoutResponse)
    #expect(
      recorder.manager.updateValue(
        Data(repeating: 2, count: length + 1), for: recorder.command, onSubscribedCentrals: nil))
    await air.advance(by: .seconds(1))
    #expect(explorer.take() == ["value 2A56 \([UInt8](repeating: 2, count: length))"] && recorder.lines.count == 2)
    for text in ["cut after \(length) bytes", "\(length + 1) bytes; the ATT_MTU leaves \(length)"] {
      #expect(air.trace.contains { $0.contains(text) })
    }
  }

  @Test("may write without response when it is connected, and on iOS 11 when it is ready", arguments: [10, 11, 12, 26])
  func writesAtConnection(ios: Int) async throws {
    let air = Air()
    let strap = Self.strap(on: air)
    let launches = Launches<Early>()
    Phone(on: air, ios: ios).launch { launches.keep(Early([CBUUID(string: "180D")])) }
    await air.advance(by: .seconds(3))
    #expect(launches.last.couldWrite == (ios != 11))
    #expect(launches.last.lines.contains("ready") == (ios == 11))
    #expect(launches.last.peripherals[0].canSendWriteWithoutResponse)
    withExtendedLifetime(strap) {}
  }

  /// The pieces of a write with response as a `Recorder` notes them: one request, or prepared writes.
  private static func pieces(of count: Int, fitting length: Int) -> String {
    guard count > length else { return "0:\(count)" }
    return stride(from: 0, to: count, by: length - 2).map { "\($0):\(min(length - 2, count - $0))" }.joined(
      separator: " ")
  }
}

/// Advertises a service with one characteristic, which is written without a response, too, and notifies.
private final class Packets: Recorder, @unchecked Sendable {
  override func makeService() -> CBMutableService {
    let service = CBMutableService(type: Self.service, primary: true)
    service.characteristics = [
      CBMutableCharacteristic(
        type: Self.command, properties: [.write, .writeWithoutResponse, .notify], value: nil, permissions: .writeable)
    ]
    return service
  }
}

/// Notes the lengths of writes, without and with a response, when it is connected, and whether it may write.
private final class Early: Explorer, @unchecked Sendable {
  private(set) var early: [Int] = []
  private(set) var couldWrite: Bool?

  override func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    early = [.withoutResponse, .withResponse].map { peripheral.maximumWriteValueLength(for: $0) }
    couldWrite = peripheral.canSendWriteWithoutResponse
    super.centralManager(central, didConnect: peripheral)
  }
}

/// An app with both roles, which writes down the callbacks of both in the order of their arrival.
private final class Both: Recorder, @unchecked Sendable {
  let explorer = Explorer([Recorder.service])
  override var lines: [String] { didSet { lines.last.map { explorer.lines.append($0) } } }
}

/// Does nothing.
private final class Idle: Explorer, @unchecked Sendable {
  init(restores identifier: String) { super.init(nil, restores: identifier) }
  override func centralManagerDidUpdateState(_ central: CBCentralManager) {
    lines.append("state \(central.state.rawValue)")
  }
}
