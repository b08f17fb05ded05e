/// A service as a central has discovered it.
package struct RemoteService: Hashable, Sendable {
  package let uuid: BluetoothUUID
  package let range: ClosedRange<AttributeHandle>
  package let isPrimary: Bool
  /// The declaration handles of included services.
  package let includes: [AttributeHandle]
  package let characteristics: [RemoteCharacteristic]

  package init(
    range: ClosedRange<AttributeHandle>, uuid: BluetoothUUID, isPrimary: Bool, includes: [AttributeHandle] = [],
    characteristics: [RemoteCharacteristic] = []
  ) {
    self.range = range
    self.uuid = uuid
    self.isPrimary = isPrimary
    self.includes = includes
    self.characteristics = characteristics
  }
}

extension RemoteService {
  /// The services of peripherals that iOS does not show to apps: Generic Access, Generic Attribute, Human Interface
  /// Device and Apple Notification Center (Accessory Design Guidelines of 2022, 40.13).
  package static let hiddenFromApps = ServiceDefinition.ownedByHost.union([
    BluetoothUUID(0x1812 as UInt16), ServiceDefinition.appleNotificationCenter,
  ])
}

/// A characteristic as a central has discovered it.
package struct RemoteCharacteristic: Hashable, Sendable {
  package let uuid: BluetoothUUID
  package let declaration: AttributeHandle
  package let value: AttributeHandle
  /// The properties byte of the declaration.
  package let properties: UInt8
  /// The value of Characteristic Extended Properties; 0 without the descriptor.
  package var extendedProperties: UInt8
  package let descriptors: [RemoteDescriptor]

  package init(
    declaration: AttributeHandle, value: AttributeHandle, uuid: BluetoothUUID, properties: UInt8,
    extendedProperties: UInt8 = 0, descriptors: [RemoteDescriptor] = []
  ) {
    self.declaration = declaration
    self.value = value
    self.uuid = uuid
    self.properties = properties
    self.extendedProperties = extendedProperties
    self.descriptors = descriptors
  }

  package var clientConfiguration: AttributeHandle? {
    descriptors.first { $0.uuid == DescriptorDefinition.clientCharacteristicConfiguration }?.handle
  }
}

extension [RemoteService] {
  /// The first characteristic of that type.
  package func characteristic(_ uuid: BluetoothUUID) -> RemoteCharacteristic? {
    lazy.flatMap(\.characteristics).first { $0.uuid == uuid }
  }
}

/// A descriptor as a central has discovered it.
package struct RemoteDescriptor: Hashable, Sendable {
  package let uuid: BluetoothUUID
  package let handle: AttributeHandle

  package init(handle: AttributeHandle, uuid: BluetoothUUID) {
    self.handle = handle
    self.uuid = uuid
  }
}
