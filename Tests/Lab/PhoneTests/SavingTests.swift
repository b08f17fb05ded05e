import BleperaAppLink
import BleperaBluetooth
import BleperaLoop
import BleperaPreservation
import BleperaRadio
import BusTesting
import Testing

@testable import BleperaPhone

@Suite("What is saved of several apps")
struct SavingTests {
  private static let service = ServiceDefinition(
    uuid: BluetoothUUID(0xFFF0 as UInt16),
    characteristics: [
      CharacteristicDefinition(
        uuid: BluetoothUUID(0xFFF1 as UInt16), properties: [.read], permissions: .readable,
        descriptors: [DescriptorDefinition(uuid: DescriptorDefinition.userDescription, value: Array("x".utf8))])
    ])

  @Test("A service whose number is out of range is refused", arguments: [-5, 1_000_000_001, Int.max])
  func serviceNumber(number: Int) throws {
    let store = InMemoryPreservationStore()
    try ScriptedRadio.run(store: store) { phone, _, events in
      let good = TestApp(phone, TestApp.identity("good"), restores: "good")
      try await good.publish()
      let bad = TestApp(phone, TestApp.identity("bad"), restores: "bad")
      try await bad.messages.first { $0.updatedState == .poweredOn ? true : nil }
      bad.send(.addService(ServiceID(rawValue: number), Self.service))
      let error = try await bad.messages.first {
        if case .peripheral(_, .didAddService(_, let error?)) = $0 { error } else { nil }
      }
      #expect(error == "the number of a service is from 0 to 1000000000, not \(number)")
      good.send(.removeAllServices)
      try await phone.loop.sleep(for: .seconds(1))
      #expect(!events.left.contains { if case .notSaved = $0 { true } else { false } })
      #expect(try store.load().state.apps.map(\.services.count) == [0, 0])
    }
  }

  @Test("An app whose state is inconsistent is left out and reported, and the others are saved")
  func inconsistent() throws {
    let store = InMemoryPreservationStore()
    try ScriptedRadio.run(store: store) { phone, _, events in
      let good = TestApp(phone, TestApp.identity("good"), restores: "good")
      try await good.publish()
      let bad = TestApp(phone, TestApp.identity("bad"), restores: "bad")
      try await bad.messages.first { $0.updatedState == .poweredOn ? true : nil }
      bad.send(.addService(ServiceID(rawValue: 0), Self.service))
      try await bad.messages.first { if case .peripheral(_, .didAddService(_, nil)) = $0 { true } else { nil } }
      #expect(try store.load().state.apps.count == 2)
      // No message of an app brings this about.
      try await phone.corrupt("org.example.bad")
      good.send(.stopAdvertising)
      try await phone.loop.sleep(for: .seconds(1))
      let saved = try store.load().state.apps
      #expect(saved.map(\.identity.bundleIdentifier) == ["org.example.good"])
      #expect(saved.first?.managers.first?.advertisement == nil)
      let warning = try #require(await phone.status().warnings.first)
      #expect(warning.hasPrefix("org.example.bad: the app is left out of the saved state: apps[1].services[0]"))
      // Reported once, until it is consistent again.
      good.send(.startAdvertising(TestApp.advertisement))
      try await phone.loop.sleep(for: .seconds(1))
      #expect(events.left.count { if case .notSaved = $0 { true } else { false } } == 1)
      bad.send(.removeAllServices)
      try await phone.loop.sleep(for: .seconds(1))
      #expect(try store.load().state.apps.count == 2)
      #expect(await phone.status().warnings.isEmpty)
    }
  }

  @Test("A state that could not be saved is saved within seconds, without another change")
  func savedAgain() throws {
    let store = InMemoryPreservationStore()
    try ScriptedRadio.run(store: store) { phone, _, events in
      store.failure = .cannotWrite("/state", reason: "full")
      let app = TestApp(phone)
      // Callbacks come although nothing is saved.
      try await app.publish()
      try await phone.loop.sleep(for: .seconds(60))
      #expect(events.left.count { if case .notSaved = $0 { true } else { false } } == 1)
      store.failure = nil
      try await phone.loop.sleep(for: .seconds(6))
      #expect(try store.load().state.apps.first?.services.count == 1)
      #expect(await phone.status().warnings.isEmpty)
    }
  }
}

extension EmulatedPhone {
  /// Gives a descriptor of an app a value that cannot be read again.
  fileprivate func corrupt(_ bundleIdentifier: String) throws {
    let app = try #require(apps.id(of: bundleIdentifier))
    let handle = try #require(services.services(of: app).first?.handles.characteristics.last?.descriptors.first)
    services.write([UInt8](repeating: 0, count: 513), toDescriptor: handle)
  }
}
