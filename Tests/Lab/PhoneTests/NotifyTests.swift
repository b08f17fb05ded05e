import BleperaAppLink
import BleperaBluetooth
import BusTesting
import Testing

@testable import BleperaPhone
@testable import BleperaRules

@Suite("A user sends an update", .timeLimit(.minutes(5)))
struct NotifyTests {
  private static func request(_ uuid: BluetoothUUID, app: String? = nil) -> ControlRequest {
    ControlRequest(.notify, app: app, characteristic: uuid, value: [6, 72])
  }

  @Test("Subscribers receive it, as of updateValue")
  func received() async throws {
    try await TestPhone.run(on: .simulated) { phone in
      let app = TestApp(phone.system)
      try await app.publish()
      try await phone.radio.connect()
      try await phone.radio.subscribe(to: TestApp.measurementUUID)
      _ = try await app.messages.first { if case .peripheral(_, .didSubscribe) = $0 { true } else { nil } }
      #expect(await phone.system.perform(Self.request(TestApp.measurementUUID)) == .done)
      #expect(try await phone.radio.value(of: TestApp.measurementUUID) == [6, 72])
      // The app, which did not send it, gets no answer: the first is that to its own update.
      let unknown = CharacteristicID(service: ServiceID(rawValue: 9), index: 0)
      app.send(.updateValue(unknown, value: [1], centrals: nil))
      let answer = try await app.messages.first { message -> CharacteristicID? in
        if case .peripheral(_, .didUpdateValue(let id, _, _)) = message { id } else { nil }
      }
      #expect(answer == unknown)
    }
  }

  @Test("What cannot be sent is refused with the reason")
  func refused() async throws {
    try await TestPhone.run(on: .simulated) { phone in
      let app = TestApp(phone.system)
      try await app.publish()
      func error(_ request: ControlRequest) async -> String? { await phone.system.perform(request).error }
      #expect(await error(Self.request(TestApp.measurementUUID)) == "no central is subscribed to 2A37.")
      #expect(await error(Self.request(TestApp.commandUUID)) == "2A39 has neither notify nor indicate.")
      let unknown = BluetoothUUID(0x2AFF as UInt16)
      #expect(await error(Self.request(unknown)) == "no app has published a characteristic 2AFF.")
      #expect(
        await error(Self.request(TestApp.measurementUUID, app: "other"))
          == "no such app: 'other'. Known apps: org.example.test.")
      await phone.system.feed(.suspend(AppID(rawValue: 1)))
      #expect(
        await error(Self.request(TestApp.measurementUUID))
          == "the app org.example.test does not run, so it cannot send an update.")
    }
  }

  @Test("An app receives the reason why its update cannot be sent")
  func answered() async throws {
    try await TestPhone.run(on: .simulated) { phone in
      let app = TestApp(phone.system)
      try await app.publish()
      let unknown = CharacteristicID(service: ServiceID(rawValue: 9), index: 0)
      app.send(.updateValue(unknown, value: [1], centrals: nil))
      try await app.messages.first {
        $0 == .callback(.didUpdateValue(unknown, queued: false, error: "there is no such characteristic")) ? true : nil
      }
    }
  }
}
