import BleperaAppLink
import BleperaBluetooth
import BleperaPreservation
import BusTesting
import Testing

@testable import BleperaBlueZ
@testable import BleperaPhone

@Suite("Services that the radio refuses", .timeLimit(.minutes(1)))
struct PublishingTests {
  /// iOS accepts this form of Generic Attribute, bluetoothd refuses it.
  private static let refused = ServiceDefinition(
    uuid: BluetoothUUID(bits: 0x0000_1801_0000_1000_8000_0080_5F9B_34FB), characteristics: [])
  private static let id = ServiceID(rawValue: 1)

  @Test("What has been reported to the app as an error is not published later")
  func isGivenUp() async throws {
    try await TestPhone.run(on: .bus) { phone in
      let app = TestApp(phone.system)
      try await app.publish()
      app.link.send(.addService(Self.id, Self.refused))
      let error = try await app.messages.first { message -> String? in
        if case .didAddService(Self.id, let error) = message { error } else { nil }
      }
      #expect(error.hasSuffix("Failed to create entry in database"))
      let radio = try #require(await phone.system.radio as? BlueZRadio)
      await radio.settle()
      #expect(await radio.applications.current.count == 1)
      #expect(try phone.saved.first?.services.map(\.definition.uuid) == [TestApp.uuid])
      // The identifier is free again.
      app.link.send(.addService(Self.id, ServiceDefinition(uuid: BluetoothUUID(0x1809 as UInt16), characteristics: [])))
      let next = try await app.messages.next()
      #expect(next == .didAddService(Self.id, error: nil))
    }
  }
}
