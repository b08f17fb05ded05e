import GATT
import Story
import Testing

@Suite("A story goes the same way on the simulated air and on bluetoothd's adapters", .serialized)
struct BothRadiosTests {
  private static let lock = BluetoothUUID(0x1815 as UInt16)
  private static let command = BluetoothUUID(0x2A56 as UInt16)
  private static let status = BluetoothUUID(0x2A57 as UInt16)

  private static let app = AppDefinition(
    "org.example.lock", restoreIdentifier: "lock", localName: "Lock",
    services: [
      ServiceDefinition(
        uuid: lock,
        characteristics: [
          CharacteristicDefinition(uuid: command, properties: [.write], permissions: [.writeable]),
          CharacteristicDefinition(uuid: status, properties: [.read, .notify], permissions: [.readable]),
        ])
    ], read: { _ in .success([7]) })

  private func play(_ radio: TestRadio, _ story: (Air) async throws -> Void) async throws {
    try await radio.play(story) { Issue.record("\($0)") }
  }

  @Test("In the background its UUID is in the overflow area, and its name is gone", arguments: TestRadio.allCases)
  func background(radio: TestRadio) async throws {
    try await play(radio) { air in
      let phone = Phone(on: air)
      let central = Central(on: air)
      phone.launch(Self.app)
      #expect(await central.discovers(.localName("Lock"), within: .seconds(10)))
      phone.moveToBackground()
      let found = await central.discover(.overflow(Self.lock), within: .seconds(10))
      #expect(found?.address == phone.address)
      #expect(found?.localName == nil)
      #expect(found?.serviceUUIDs == [])
      #expect(await !central.discovers(.service(Self.lock), within: .milliseconds(100)))
    }
  }

  @Test("Killed for memory it opens all the same, and knows who is subscribed", arguments: TestRadio.allCases)
  func killed(radio: TestRadio) async throws {
    try await play(radio) { air in
      let phone = Phone(on: air)
      let central = Central(on: air)
      let app = phone.launch(Self.app)
      try await central.connect(to: phone)
      try await central.subscribe(to: Self.status)
      phone.moveToBackground()
      phone.terminate(.memoryPressure)
      #expect(app.state == .notRunning)
      try await central.write([1], to: Self.command)
      #expect(app.launches == 2)
      #expect(app.restored.services == [Self.lock])
      #expect(app.restored.subscribers == [central])
      #expect(try await central.read(Self.status) == [7])
      app.update(Self.status, to: [8])
      #expect(try await central.receives(from: Self.status, within: .seconds(10)) == [8])
      await central.disconnect()
      #expect(await central.isDisconnected(within: .seconds(10)))
    }
  }

  @Test("Swiped away it is gone, and its services are too", arguments: TestRadio.allCases)
  func quit(radio: TestRadio) async throws {
    try await play(radio) { air in
      let phone = Phone(on: air)
      let central = Central(on: air)
      let app = phone.launch(Self.app)
      try await central.connect(to: phone)
      #expect(central.services.contains(Self.lock))
      phone.forceQuit()
      #expect(app.state == .notRunning && app.launches == 1)
      while central.services.contains(Self.lock) { await air.advance(by: .milliseconds(20)) }
      await #expect(throws: StoryFailure.noCharacteristic(Self.command)) {
        try await central.write([1], to: Self.command)
      }
    }
  }

  @Test("An iPhone's app hears of a bit what it asked for, in the background too", arguments: TestRadio.allCases)
  func iPhone(radio: TestRadio) async throws {
    try await play(radio) { air in
      let phone = Phone(on: air)
      let central = Central(on: air, as: .iPhoneApp())
      phone.launch(Self.app)
      phone.moveToBackground()
      #expect(await central.discovers(.overflow(Self.lock), within: .seconds(10)))
      #expect(await !central.discovers(.overflow(Self.command), within: .milliseconds(300)))
      central.moveToBackground()
      #expect(await !central.discovers(.anything, within: .milliseconds(300)))
      central.switchScreen(on: false)
      #expect(await !central.discovers(.overflow(Self.lock), within: .milliseconds(300)))
      central.switchScreen(on: true)
      try await central.connect(to: phone)
      #expect(try await central.read(Self.status) == [7])
    }
  }
}
