import BleperaBluetooth
import Testing

@Suite struct PublishingRefusalTests {
  private static func service(_ uuid: String = "180D", _ characteristics: CharacteristicDefinition...) throws
    -> ServiceDefinition
  {
    ServiceDefinition(uuid: try #require(BluetoothUUID(uuid)), characteristics: characteristics)
  }

  private static func characteristic(
    _ properties: CharacteristicProperties, _ permissions: AttributePermissions = .readable, value: [UInt8]? = nil,
    descriptors: [DescriptorDefinition] = []
  ) -> CharacteristicDefinition {
    CharacteristicDefinition(
      uuid: BluetoothUUID(0x2A38 as UInt16), properties: properties, permissions: permissions, value: value,
      descriptors: descriptors)
  }

  private static func descriptor(_ uuid: UInt16, length: Int) -> DescriptorDefinition {
    DescriptorDefinition(uuid: BluetoothUUID(uuid), value: [UInt8](repeating: 0, count: length))
  }

  @Test(
    "A service that Core Bluetooth does not publish is refused in its 16-bit form",
    arguments: [
      ("1800", true), ("1801", true), ("1805", true), ("180A", true), ("180F", true), ("0000180F", false),
      ("1812", true), ("181E", true),
      ("7905F431-B5CE-4E99-A40F-4B1E122D00D0", true),
      ("0000180f-0000-1000-8000-00805f9b34fb", false), ("180D", false), ("1802", false),
      ("1800180F-0000-1000-8000-00805F9B34FB", false),
    ])
  func serviceUUID(_ uuid: String, refused: Bool) throws {
    let service = try Self.service(uuid)
    #expect(service.refusals() == (refused ? [PublishingRefusal(at: .service, .uuidNotAllowed(service.uuid))] : []))
  }

  private static let bytes512 = [UInt8](repeating: 0, count: 512)

  @Test(
    "A characteristic is refused for what Core Bluetooth would not publish",
    arguments: [
      (characteristic(.read), []),
      (characteristic([.read, .write, .notify], [.readable, .writeable]), []),
      (characteristic(.notifyEncryptionRequired, []), []),
      (characteristic([]), [.noProperties]),
      (characteristic([.read, .broadcast]), [.propertiesNotAllowed(.broadcast)]),
      (characteristic(.extendedProperties), [.propertiesNotAllowed(.extendedProperties)]),
      (
        characteristic([.read, .broadcast, .extendedProperties]),
        [.propertiesNotAllowed([.broadcast, .extendedProperties])]
      ),
      (characteristic(.read, value: []), []),
      (characteristic(.read, value: bytes512), []),
      (characteristic(.read, value: bytes512 + [0]), [.valueTooLong(513)]),
      (characteristic([], value: [1]), [.noProperties]),
      (characteristic([.read, .notify], value: [1]), [.cachedValueNotReadOnly([.read, .notify], .readable)]),
      (characteristic(.write, value: [1]), [.cachedValueNotReadOnly(.write, .readable)]),
      (
        characteristic(.read, [.readable, .writeable], value: [1]),
        [.cachedValueNotReadOnly(.read, [.readable, .writeable])]
      ),
      (characteristic(.read, .readEncryptionRequired, value: [1]), []),
    ] as [(CharacteristicDefinition, [PublishingRefusal.Reason])])
  func refusesCharacteristic(_ characteristic: CharacteristicDefinition, reasons: [PublishingRefusal.Reason]) throws {
    #expect(characteristic.refusals() == reasons)
    let service = try Self.service("180D", Self.characteristic(.read), characteristic)
    #expect(service.refusals() == reasons.map { PublishingRefusal(at: .characteristic(1), $0) })
  }

  @Test(
    "A descriptor is any but those that the system makes, a presentation format of seven bytes",
    arguments: [
      (descriptor(0x2901, length: 0), []),
      (descriptor(0x2901, length: 512), []),
      (descriptor(0x2901, length: 513), [.valueTooLong(513)]),
      (descriptor(0x2904, length: 7), []),
      (descriptor(0x2904, length: 6), [.presentationFormatLength(6)]),
      (descriptor(0x2904, length: 600), [.presentationFormatLength(600)]),
      (descriptor(0x2900, length: 2), [.descriptorNotAllowed(BluetoothUUID(0x2900 as UInt16))]),
      (descriptor(0x2902, length: 2), [.descriptorNotAllowed(BluetoothUUID(0x2902 as UInt16))]),
      (descriptor(0x2903, length: 2), [.descriptorNotAllowed(BluetoothUUID(0x2903 as UInt16))]),
      (descriptor(0x2908, length: 2), []), (descriptor(0x2908, length: 513), [.valueTooLong(513)]),
    ] as [(DescriptorDefinition, [PublishingRefusal.Reason])])
  func refusesDescriptor(_ descriptor: DescriptorDefinition, reasons: [PublishingRefusal.Reason]) throws {
    #expect(descriptor.refusals() == reasons)
    let characteristic = Self.characteristic(.read, descriptors: [Self.descriptor(0x2901, length: 1), descriptor])
    let service = try Self.service("180D", characteristic)
    #expect(service.refusals() == reasons.map { PublishingRefusal(at: .descriptor(1, ofCharacteristic: 0), $0) })
  }

  @Test("All refusals come at once, in the order of the parts, each a whole sentence")
  func sentences() throws {
    let service = try Self.service(
      "180F",
      Self.characteristic(
        [.read, .notify, .broadcast], [.readable, .writeable], value: Self.bytes512 + [0],
        descriptors: [Self.descriptor(0x2902, length: 2), Self.descriptor(0x2904, length: 3)]),
      Self.characteristic([]))
    #expect(
      service.refusals().map(\.description) == [
        "Core Bluetooth does not publish service 180F for an app (CBError.uuidNotAllowed).",
        "characteristics[0]: A published characteristic may not have the property broadcast.",
        "characteristics[0]: Characteristics with cached values must be read-only, and this one is also "
          + "broadcast, notify, writeable.",
        "characteristics[0]: A value has at most 512 bytes, and this one has 513.",
        "characteristics[0].descriptors[0]: The system makes the descriptor 2902 itself (CBError.invalidParameters).",
        "characteristics[0].descriptors[1]: The presentation format has 7 bytes, and this one has 3.",
        "characteristics[1]: A characteristic needs at least one property: bluetoothd does not register others.",
      ])
  }
}
