import BleperaTesting
import Synchronization

/// The app of a lock, made of closures. A profile works too: `AppDefinition(profile:)`.
final class Lock: Sendable {
  static let service = BluetoothUUID(0x1815 as UInt16)
  static let command = BluetoothUUID(0x2A56 as UInt16)
  static let state = BluetoothUUID(0x2A57 as UInt16)

  private let isOpen = Mutex(false)

  var definition: AppDefinition {
    AppDefinition(
      "org.example.lock", restoreIdentifier: "lock", localName: "Lock",
      services: [
        ServiceDefinition(
          uuid: Self.service,
          characteristics: [
            CharacteristicDefinition(uuid: Self.command, properties: [.write], permissions: [.writeable]),
            CharacteristicDefinition(uuid: Self.state, properties: [.read, .notify], permissions: [.readable]),
          ])
      ],
      read: { [self] _ in .success([isOpen.withLock { $0 } ? 1 : 0]) },
      write: { [self] _, value in
        guard value == [0] || value == [1] else { return .invalidAttributeValueLength }
        isOpen.withLock { $0 = value == [1] }
        return nil
      })
  }
}
