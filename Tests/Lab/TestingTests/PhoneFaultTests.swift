import BleperaTesting
import Testing

@Suite("Faults of the machine that a phone runs on", .traced)
struct PhoneFaultTests {
  private static let command = TestLock.command
  private static let status = TestLock.status

  /// A fault of the machine, and its end.
  enum Outage: CaseIterable {
    case daemon, adapter, both

    func begin(_ phone: Phone) {
      if self != .adapter { phone.stopBluetoothd() }
      if self != .daemon { phone.unplugAdapter() }
    }

    func end(_ phone: Phone) throws {
      if self != .daemon { phone.plugAdapter() }
      if self != .adapter { try phone.startBluetoothd() }
    }
  }

  @Test("To the app Bluetooth is off and on again, and everything is on the air as before", arguments: Outage.allCases)
  func outage(_ outage: Outage) async throws {
    let air = Air()
    let (phone, central) = (Phone(on: air), Central(on: air))
    let events = Record<App.Event>()
    let app = phone.launch(TestLock.app { event, _ in events.add(event) })
    try await central.connect(to: phone)
    try await central.subscribe(to: Self.status)
    let count = events.elements.count
    outage.begin(phone)
    #expect(!central.isConnected)
    #expect(
      events.elements.dropFirst(count) == [
        .didUnsubscribe(central, from: Self.status), .didUpdateState(.poweredOff),
      ])
    #expect(app.state == .foreground)
    #expect(await !central.discovers(.anything, within: .seconds(60)))

    try outage.end(phone)
    #expect(await central.discovers(.localName("Lock"), within: .seconds(3)))
    #expect(events.elements.dropFirst(count + 2) == [.didUpdateState(.poweredOn)])
    try await central.connect(to: phone)
    try await central.subscribe(to: Self.status)
    #expect(app.update(Self.status, to: [8]))
    #expect(try await central.receives(from: Self.status, within: .seconds(1)) == [8])
    #expect(app.launches == 1)
  }

  @Test("A central that tries to connect meanwhile is connected when bluetoothd is back")
  func restart() async throws {
    let air = Air()
    let (phone, central) = (Phone(on: air), Central(on: air))
    phone.launch(TestLock.app())
    _ = await central.discovers(.anything, within: .seconds(1))
    try phone.restartBluetoothd(after: .seconds(30))
    try await central.connect(to: phone)
    #expect(air.now >= .seconds(30))
    #expect(try await central.read(Self.status) == [7])
  }

  @Test("A write that the app has not responded to fails, and the late response reaches nobody")
  func whileAsked() async throws {
    let air = Air()
    let (phone, central) = (Phone(on: air), Central(on: air))
    let writes = Record<[UInt8]>()
    let app = phone.launch(TestLock.app(writes: writes))
    try await central.connect(to: phone)
    app.answerDelay = .seconds(2)
    air.after(.seconds(1)) { phone.unplugAdapter() }
    await #expect(throws: StoryFailure.linkLost) { try await central.write([1], to: Self.command) }
    #expect(writes.elements == [[1]])
    phone.plugAdapter()
    app.answerDelay = .zero
    try await central.connect(to: phone)
    try await central.write([2], to: Self.command)
    await air.advance(by: .seconds(10))
    #expect(writes.elements == [[1], [2]])
  }

  @Test("A terminated app is on the air again too, and is launched for the next event")
  func killed() async throws {
    let air = Air()
    let (phone, central) = (Phone(on: air), Central(on: air))
    let app = phone.launch(TestLock.app())
    #expect(await central.discovers(.localName("Lock"), within: .seconds(3)))
    phone.moveToBackground()
    phone.terminate(.memoryPressure)
    try phone.restartBluetoothd()
    #expect(await central.discovers(.overflow(TestLock.lock), within: .seconds(10)))
    try await central.connect(to: phone)
    try await central.write([1], to: Self.command)
    #expect(app.launches == 2)
    #expect(app.restored.services == [TestLock.lock])
  }

  @Test("Without its bus the phone has no radio")
  func busLost() async throws {
    let air = Air()
    let (phone, central) = (Phone(on: air), Central(on: air))
    let events = Record<App.Event>()
    phone.launch(TestLock.app { event, _ in events.add(event) })
    try await central.connect(to: phone)
    phone.loseBus()
    #expect(!central.isConnected)
    #expect(events.elements.last == .didUpdateState(.poweredOff))
    let last = air.trace.suffix(5).map { $0.split(separator: "  ").last }
    #expect(
      last == [
        "off the air", "00:AA:01:00:00:01", "disconnected from 00:AA:01:00:00:00", "no bluetoothd", "no bus",
      ])
    #expect(throws: StoryFailure.noBus) { try phone.startBluetoothd() }
    #expect(throws: StoryFailure.noBus) { try phone.restartBluetoothd() }
    phone.unplugAdapter()
    phone.plugAdapter()
    #expect(await !central.discovers(.anything, within: .seconds(60)))
    #expect(events.elements.last == .didUpdateState(.poweredOff))
  }

  @Test("Where Bluetooth cannot be used, apps receive the state and nothing is on the air", arguments: [true, false])
  func unusable(isSupported: Bool) async {
    let air = Air()
    let states = Record<ManagerState>()
    let phone = Phone(on: air, isAuthorized: false, supportsBluetooth: isSupported)
    phone.launch(TestLock.app { event, _ in if case .didUpdateState(let state) = event { states.add(state) } })
    #expect(states.elements == [isSupported ? .unauthorized : .unsupported])
    #expect(await !Central(on: air).discovers(.anything, within: .seconds(5)))
  }
}
