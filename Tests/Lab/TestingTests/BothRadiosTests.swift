import BleperaBluetooth
import BleperaSimulation
import Testing

@Suite("A story runs the same way on the virtual radio and on bluetoothd's adapters", .serialized)
struct BothRadiosTests {
  private func play(_ radio: TestRadio, _ story: (Air) async throws -> Void) async throws {
    try await radio.play(story) { Issue.record("\($0)") }
  }

  @Test("In the background its UUID is in the overflow area, and it has no local name", arguments: TestRadio.allCases)
  func background(radio: TestRadio) async throws {
    try await play(radio) { air in
      let phone = Phone(on: air)
      let central = Central(on: air)
      phone.launch(TestLock.app())
      #expect(await central.discovers(.localName("Lock"), within: .seconds(10)))
      phone.moveToBackground()
      let found = await central.discover(.overflow(TestLock.lock), within: .seconds(10))
      #expect(found?.address == phone.address)
      #expect(found?.localName == nil)
      #expect(found?.serviceUUIDs == [])
      #expect(await !central.discovers(.service(TestLock.lock), within: .milliseconds(100)))
    }
  }

  @Test("Terminated for memory, it still opens, and its subscribers are restored", arguments: TestRadio.allCases)
  func killed(radio: TestRadio) async throws {
    try await play(radio) { air in
      let phone = Phone(on: air)
      let central = Central(on: air)
      let app = phone.launch(TestLock.app())
      try await central.connect(to: phone)
      try await central.subscribe(to: TestLock.status)
      phone.moveToBackground()
      phone.terminate(.memoryPressure)
      #expect(app.state == .notRunning)
      try await central.write([1], to: TestLock.command)
      #expect(app.launches == 2)
      #expect(app.restored.services == [TestLock.lock])
      #expect(app.restored.subscribers == [central])
      #expect(try await central.read(TestLock.status) == [7])
      app.update(TestLock.status, to: [8])
      #expect(try await central.receives(from: TestLock.status, within: .seconds(10)) == [8])
      await central.disconnect()
      #expect(await central.isDisconnected(within: .seconds(10)))
    }
  }

  @Test(
    "An update for one of two subscribers reaches that one alone",
    arguments: TestRadio.allCases)
  func namedCentral(radio: TestRadio) async throws {
    try await play(radio) { air in
      let phone = Phone(on: air)
      let (first, second) = (Central(on: air, named: "first"), Central(on: air, named: "second"))
      let app = phone.launch(TestLock.app())
      for central in [first, second] {
        try await central.connect(to: phone)
        try await central.subscribe(to: TestLock.status)
      }
      #expect(app.update(TestLock.status, to: [8], onSubscribedCentrals: [second]))
      #expect(app.update(TestLock.status, to: [9], onSubscribedCentrals: [first, second]))
      #expect(try await first.receives(from: TestLock.status, within: .seconds(10)) == [9])
      #expect(try await second.receives(from: TestLock.status, within: .seconds(10)) == [8])
    }
  }

  @Test("After a force quit the services of the app are removed", arguments: TestRadio.allCases)
  func quit(radio: TestRadio) async throws {
    try await play(radio) { air in
      let phone = Phone(on: air)
      let central = Central(on: air)
      let app = phone.launch(TestLock.app())
      try await central.connect(to: phone)
      #expect(central.services.contains(TestLock.lock))
      phone.forceQuit()
      #expect(app.state == .notRunning && app.launches == 1)
      while central.services.contains(TestLock.lock) { await air.advance(by: .milliseconds(20)) }
      await #expect(throws: StoryFailure.noCharacteristic(TestLock.command)) {
        try await central.write([1], to: TestLock.command)
      }
    }
  }

  @Test("An iPhone's app discovers the bits that it scans for, in the background too", arguments: TestRadio.allCases)
  func iPhone(radio: TestRadio) async throws {
    try await play(radio) { air in
      let phone = Phone(on: air)
      let central = Central(on: air, as: .iPhoneApp())
      phone.launch(TestLock.app())
      phone.moveToBackground()
      #expect(await central.discovers(.overflow(TestLock.lock), within: .seconds(10)))
      #expect(await !central.discovers(.overflow(TestLock.command), within: .milliseconds(300)))
      central.moveToBackground()
      #expect(await !central.discovers(.anything, within: .milliseconds(300)))
      central.switchScreen(on: false)
      #expect(await !central.discovers(.overflow(TestLock.lock), within: .milliseconds(300)))
      central.switchScreen(on: true)
      try await central.connect(to: phone)
      #expect(try await central.read(TestLock.status) == [7])
    }
  }
}
