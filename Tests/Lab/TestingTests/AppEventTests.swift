import BleperaTesting
import Testing

@Suite("An app of closures receives the events of an app", .traced)
struct AppEventTests {
  @Test("Lifecycle, restored state, radio and subscribers, in that order (R9)")
  func events() async throws {
    let air = Air()
    let (phone, central) = (Phone(on: air), Central(on: air))
    let events = Record<App.Event>()
    let app = phone.launch(TestLock.app { event, _ in events.add(event) })
    await air.advance(by: .seconds(1))
    try await central.connect(to: phone)
    try await central.subscribe(to: TestLock.status)
    phone.moveToBackground()
    phone.terminate(.memoryPressure)
    #expect(try await central.read(TestLock.status) == [7])
    try await central.unsubscribe(from: TestLock.status)
    #expect(
      events.elements == [
        .didChangeState(.inactive), .didChangeState(.foreground), .didUpdateState(.poweredOn),
        .didSubscribe(central, to: TestLock.status), .didChangeState(.inactive), .didChangeState(.background),
        .didChangeState(.background), .willRestoreState(app.restored), .didUpdateState(.poweredOn),
        .didUnsubscribe(central, from: TestLock.status),
      ])
    #expect(app.restored.subscribers == [central])
  }

  @Test("It can send a value as soon as a central is subscribed, and learns whether the value was sent")
  func sends() async throws {
    let air = Air()
    let (phone, central) = (Phone(on: air), Central(on: air))
    let went = Record<Bool>()
    let app = phone.launch(
      TestLock.app { event, app in
        if case .didSubscribe(_, let uuid) = event { went.add(app.update(uuid, to: [3])) }
      })
    try await central.connect(to: phone)
    try await central.subscribe(to: TestLock.status)
    #expect(try await central.receives(from: TestLock.status, within: .seconds(1)) == [3])
    #expect(went.elements == [true])
    #expect(!app.update(BluetoothUUID(0x2A00 as UInt16), to: [1]))
    phone.suspend()
    #expect(!app.update(TestLock.status, to: [4]))
    app.crash()
    #expect(!app.update(TestLock.status, to: [5]))
  }
}
