package import DBus
package import GATT

/// A service of a device that we are connected to.
package struct FoundService: Hashable, Sendable {
  package let path: ObjectPath
  package let uuid: BluetoothUUID
  package let isPrimary: Bool
  package let includedServices: [ObjectPath]
  /// In the order of their handles.
  package let characteristics: [FoundCharacteristic]
}

/// A characteristic of such a service.
package struct FoundCharacteristic: Hashable, Sendable {
  package let path: ObjectPath
  package let uuid: BluetoothUUID
  package let properties: CharacteristicProperties
  /// In the order of their handles.
  package let descriptors: [FoundDescriptor]
}

/// A descriptor of such a characteristic.
package struct FoundDescriptor: Hashable, Sendable {
  package let path: ObjectPath
  package let uuid: BluetoothUUID
}

extension CharacteristicProperties {
  /// Of `Flags` as a central hears them: the bits of the declaration, and what its extended properties say, which has
  /// no bit here.
  init(flags: [String]) {
    let table: [(flag: String, property: Self)] = [
      ("broadcast", .broadcast), ("read", .read), ("write-without-response", .writeWithoutResponse), ("write", .write),
      ("notify", .notify), ("indicate", .indicate), ("authenticated-signed-writes", .authenticatedSignedWrites),
      ("extended-properties", .extendedProperties),
    ]
    self = table.reduce(into: []) { properties, row in
      if flags.contains(row.flag) { properties.formUnion(row.property) }
    }
  }
}
