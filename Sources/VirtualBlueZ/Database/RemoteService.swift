package import GATT

/// A service as a central has discovered it.
package struct RemoteService: Hashable, Sendable {
  package let range: ClosedRange<AttributeHandle>
  package let uuid: BluetoothUUID
  package let isPrimary: Bool
  /// The declarations of the services it includes.
  package let includes: [AttributeHandle]
  package let characteristics: [RemoteCharacteristic]
  /// Which registration it comes from: Service Changed tells a central that it is another one, though all is the same.
  package let application: ApplicationID?
}

/// A characteristic as a central has discovered it.
package struct RemoteCharacteristic: Hashable, Sendable {
  package let declaration: AttributeHandle
  package let value: AttributeHandle
  package let uuid: BluetoothUUID
  /// The byte of the declaration.
  package let properties: UInt8
  /// Of its Characteristic Extended Properties; 0 where there are none.
  package var extendedProperties: UInt8 = 0
  package let descriptors: [RemoteDescriptor]

  package var clientConfiguration: AttributeHandle? {
    descriptors.first { $0.uuid == DescriptorDefinition.clientCharacteristicConfiguration }?.handle
  }
}

/// A descriptor as a central has discovered it.
package struct RemoteDescriptor: Hashable, Sendable {
  package let handle: AttributeHandle
  package let uuid: BluetoothUUID
}
