import BleperaTesting

/// The lock of the stories.
enum TestLock {
  static let lock = BluetoothUUID(0x1815 as UInt16)
  static let command = BluetoothUUID(0x2A56 as UInt16)
  static let status = BluetoothUUID(0x2A57 as UInt16)

  static func app(
    writes: Record<[UInt8]> = Record(), onEvent: @escaping AppDefinition.Listener = { _, _ in }
  ) -> AppDefinition {
    AppDefinition(
      "org.example.lock", restoreIdentifier: "lock", localName: "Lock",
      services: [
        ServiceDefinition(
          uuid: lock,
          characteristics: [
            CharacteristicDefinition(uuid: command, properties: [.write], permissions: [.writeable]),
            CharacteristicDefinition(uuid: status, properties: [.read, .notify], permissions: [.readable]),
          ])
      ], read: { _ in .success([7]) },
      write: { _, value in
        writes.add(value)
        return nil
      }, onEvent: onEvent)
  }
}
