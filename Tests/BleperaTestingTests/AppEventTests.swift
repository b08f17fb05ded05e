import BleperaTesting
import Testing

@Suite("An app of closures hears what an app hears", .traced)
struct AppEventTests {
  @Test("Its lifecycle, the radio, its subscribers, and what was kept of it, in that order (R9)")
  func events() async throws {
    let air = Air()
    let (phone, central) = (Phone(on: air), Central(on: air))
    let heard = Record<App.Event>()
    let app = phone.launch(TestLock.app { event, _ in heard.add(event) })
    await air.advance(by: .seconds(1))
    try await central.connect(to: phone)
    try await central.subscribe(to: TestLock.status)
    phone.moveToBackground()
    phone.terminate(.memoryPressure)
    #expect(try await central.read(TestLock.status) == [7])
    try await central.unsubscribe(from: TestLock.status)
    #expect(
      heard.elements == [
        .didChangeState(.foreground), .didUpdateState(.poweredOn), .didSubscribe(central, to: TestLock.status),
        .didChangeState(.background), .didChangeState(.background), .willRestoreState(app.restored),
        .didUpdateState(.poweredOn), .didUnsubscribe(central, from: TestLock.status),
      ])
    #expect(app.restored.subscribers == [central])
  }

  @Test("It sends a value as soon as somebody is subscribed, and knows whether it went")
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
