package import GATT

/// Where an application wants an attribute.
package enum HandleWish: Hashable, Sendable {
  /// No Handle property, or 0: wherever there is room. bluetoothd tells which where the property is there.
  case anywhere
  case exactly(AttributeHandle)
}

/// A GattService1 of an application.
package struct PublishedService: Hashable, Sendable {
  package var uuid: BluetoothUUID
  package var isPrimary: Bool
  /// Of the declaration.
  package var handle: HandleWish
  /// Services before this one in the application, or this one, by place.
  package var includes: [Int]
  package var characteristics: [PublishedCharacteristic]

  package init(
    uuid: BluetoothUUID, isPrimary: Bool = true, handle: HandleWish = .anywhere, includes: [Int] = [],
    characteristics: [PublishedCharacteristic] = []
  ) {
    self.uuid = uuid
    self.isPrimary = isPrimary
    self.handle = handle
    self.includes = includes
    self.characteristics = characteristics
  }

  /// How many attributes it takes, with those that bluetoothd makes.
  var handleCount: Int { characteristics.reduce(1 + includes.count) { $0 + $1.handleCount } }
}

/// A GattCharacteristic1 of an application.
package struct PublishedCharacteristic: Hashable, Sendable {
  /// The application's number for it.
  package var index: Int
  package var uuid: BluetoothUUID
  package var flags: AttributeFlags
  /// Of the value; the declaration stands before it.
  package var handle: HandleWish
  package var descriptors: [PublishedDescriptor]

  package init(
    index: Int, uuid: BluetoothUUID, flags: AttributeFlags, handle: HandleWish = .anywhere,
    descriptors: [PublishedDescriptor] = []
  ) {
    self.index = index
    self.uuid = uuid
    self.flags = flags
    self.handle = handle
    self.descriptors = descriptors
  }

  var handleCount: Int {
    2 + (flags.isSubscribable ? 1 : 0) + (flags.contains(.extendedProperties) ? 1 : 0) + descriptors.count
  }
}

/// A GattDescriptor1 of an application.
package struct PublishedDescriptor: Hashable, Sendable {
  /// The application's number for it.
  package var index: Int
  package var uuid: BluetoothUUID
  package var flags: AttributeFlags
  package var handle: HandleWish

  package init(index: Int, uuid: BluetoothUUID, flags: AttributeFlags, handle: HandleWish = .anywhere) {
    self.index = index
    self.uuid = uuid
    self.flags = flags
    self.handle = handle
  }
}
