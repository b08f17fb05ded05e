import BleperaBlueZ
import BleperaBlueZProtocol
import BleperaBluetooth
import Testing

@Suite("Flags of characteristics and descriptors")
struct CharacteristicFlagsTests {
  @Test(
    "Properties and permissions become bluetoothd's flags",
    arguments: [
      ([.read], [.readable], ["read"]),
      ([.read], [.readEncryptionRequired], ["read", "encrypt-read"]),
      ([.read, .notify], [.readable], ["read", "notify"]),
      ([.write], [.writeable], ["write"]),
      ([.write], [.writeEncryptionRequired], ["write", "encrypt-write"]),
      ([.writeWithoutResponse], [.writeable], ["write-without-response"]),
      ([.write, .writeWithoutResponse], [.writeable], ["write-without-response", "write"]),
      ([.notify], [], ["notify"]), ([.indicate], [], ["indicate"]),
      ([.notify, .indicate], [], ["notify", "indicate"]),
      ([.notifyEncryptionRequired], [], ["notify", "encrypt-notify"]),
      ([.indicateEncryptionRequired], [], ["indicate", "encrypt-indicate"]),
      ([.notify, .notifyEncryptionRequired], [], ["notify", "encrypt-notify"]),
      ([.authenticatedSignedWrites], [.writeable], ["authenticated-signed-writes"]),
      ([.write, .notify, .extendedProperties], [.writeable], ["write", "notify", "reliable-write"]),
      // A permission without its property opens nothing.
      ([.notify], [.readEncryptionRequired, .writeEncryptionRequired], ["notify"]),
      ([.read], [.readable, .writeEncryptionRequired], ["read"]),
      ([.read, .write], [.readable, .writeEncryptionRequired], ["read", "write", "encrypt-write"]),
    ] as [(CharacteristicProperties, AttributePermissions, [String])])
  func characteristics(properties: CharacteristicProperties, permissions: AttributePermissions, flags: [String]) {
    let characteristic = CharacteristicDefinition(
      uuid: BluetoothUUID(0x2A37 as UInt16), properties: properties, permissions: permissions)
    #expect(CharacteristicFlags.flags(of: characteristic) == flags)
  }

  @Test("No characteristic that Core Bluetooth publishes is without flags, which bluetoothd refuses")
  func neverEmpty() {
    for bits in 1..<0x400 as Range<UInt16> {
      let characteristic = CharacteristicDefinition(
        uuid: BluetoothUUID(0x2A37 as UInt16), properties: CharacteristicProperties(rawValue: bits), permissions: [])
      guard characteristic.refusals().isEmpty else { continue }
      #expect(!CharacteristicFlags.flags(of: characteristic).isEmpty, "\(characteristic.properties)")
    }
  }

  @Test(
    "A descriptor's permissions become its flags",
    arguments: [
      ([.readable], ["read"]), ([.readable, .writeable], ["read", "write"]),
      ([.readEncryptionRequired], ["encrypt-read"]), ([.writeEncryptionRequired], ["encrypt-write"]),
    ] as [(AttributePermissions, [String])])
  func descriptors(permissions: AttributePermissions, flags: [String]) {
    let descriptor = DescriptorDefinition(
      uuid: DescriptorDefinition.userDescription, value: [], permissions: permissions)
    #expect(CharacteristicFlags.flags(of: descriptor) == flags)
  }
}
