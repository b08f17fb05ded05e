import BleperaAppLink
import BleperaBluetooth
import BleperaPreservation
import BusTesting
import Testing

@testable import BleperaPhone

@Suite("Bluetooth that is switched off takes centrals and advertisements with it", .timeLimit(.minutes(5)))
struct PowerTests {
  @Test(
    "The app receives the unsubscription, then the state of the radio, and is advertised again",
    arguments: RadioKind.allCases)
  func offAndOn(on radio: RadioKind) async throws {
    try await TestPhone.run(on: radio) { phone in
      let app = TestApp(phone.system)
      try await app.publish()
      try await phone.radio.connect()
      try await phone.radio.subscribe(to: TestApp.measurementUUID)
      let central = try await app.messages.first {
        if case .peripheral(_, .didSubscribe(let central, _)) = $0 { central } else { nil }
      }
      #expect(await phone.system.perform(ControlRequest(.bluetoothOff)).error == nil)
      #expect(
        try await app.messages.next(2) == [
          .callback(.didUnsubscribe(central, from: TestApp.measurement)), .callback(.didUpdateState(.poweredOff)),
        ])
      #expect(phone.events.left.contains { if case .disconnected = $0 { true } else { false } })
      #expect(await phone.system.perform(ControlRequest(.bluetoothOn)).error == nil)
      #expect(try await app.messages.next() == .callback(.didUpdateState(.poweredOn)))
      // One that was before, and this one.
      for _ in 1...2 { try await phone.events.first { if case .advertising = $0 { true } else { nil } } }
    }
  }

  @Test("Calls while Bluetooth is off are ignored, as an API misuse", arguments: RadioKind.allCases)
  func misuse(on radio: RadioKind) async throws {
    try await TestPhone.run(on: radio) { phone in
      let app = TestApp(phone.system)
      try await app.messages.first { $0.updatedState == .poweredOn ? true : nil }
      #expect(await phone.system.perform(ControlRequest(.bluetoothOff)).error == nil)
      try await app.messages.first { $0.updatedState == .poweredOff ? true : nil }
      app.send(.addService(ServiceID(rawValue: 0), TestApp.service))
      app.send(.startAdvertising(TestApp.advertisement))
      for call in ["addService", "startAdvertising"] {
        try await phone.events.first {
          if case .apiMisuse(call, .poweredOff) = $0 { true } else { nil }
        }
      }
      #expect(await phone.system.perform(ControlRequest(.bluetoothOn)).error == nil)
      #expect(try await app.messages.next() == .callback(.didUpdateState(.poweredOn)))
      try await app.publish(isOn: true)
    }
  }

  @Test("Reset, it is published and advertised no more until the app does so", arguments: RadioKind.allCases)
  func reset(on radio: RadioKind) async throws {
    try await TestPhone.run(on: radio) { phone in
      let app = TestApp(phone.system)
      try await app.publish()
      #expect(await phone.system.perform(ControlRequest(.bluetoothReset)).error == nil)
      #expect(
        try await app.messages.next(2) == [
          .callback(.didUpdateState(.resetting)), .callback(.didUpdateState(.poweredOn)),
        ])
      #expect(try phone.saved.first?.services == [])
      app.send(.addService(TestApp.measurement.service, TestApp.service))
      #expect(try await app.messages.next() == .callback(.didAddService(TestApp.measurement.service, error: nil)))
      app.send(.startAdvertising(TestApp.advertisement))
      #expect(try await app.messages.next() == .callback(.didStartAdvertising(error: nil)))
      try await phone.radio.connect()
      #expect(try await phone.radio.read(TestApp.cachedUUID) == [1])
    }
  }
}
