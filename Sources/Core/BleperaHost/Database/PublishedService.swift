package import BleperaBluetooth

/// The handle that an application requests for an attribute.
package enum HandleRequest: Hashable, Sendable {
  /// No Handle property, or 0: any free handle.
  case anywhere
  case exactly(AttributeHandle)
}

/// A GattService1 of an application.
package struct PublishedService: Hashable, Sendable {
  package var uuid: BluetoothUUID
  package var isPrimary: Bool
  /// The handle of the declaration.
  package var handle: HandleRequest
  /// Included services by position: earlier services of the application, or this one.
  package var includes: [Int]
  /// The declaration handles of included services that the database already has.
  package var includedHandles: [AttributeHandle]
  package var characteristics: [PublishedCharacteristic]
  /// Whether the service is an iPhone's: it may be Generic Access or Generic Attribute, whose 128-bit forms iOS accepts
  /// and bluetoothd refuses, and its handles are its own, of which bluetoothd checks the first and the last alone.
  package var isExact: Bool

  package init(
    uuid: BluetoothUUID, isPrimary: Bool = true, handle: HandleRequest = .anywhere, includes: [Int] = [],
    includedHandles: [AttributeHandle] = [], characteristics: [PublishedCharacteristic] = [], isExact: Bool = false
  ) {
    self.uuid = uuid
    self.isPrimary = isPrimary
    self.handle = handle
    self.includes = includes
    self.includedHandles = includedHandles
    self.characteristics = characteristics
    self.isExact = isExact
  }

  /// The number of attributes, including those that bluetoothd creates.
  var handleCount: Int { characteristics.reduce(1 + includes.count + includedHandles.count) { $0 + $1.handleCount } }
}

/// A GattCharacteristic1 of an application.
package struct PublishedCharacteristic: Hashable, Sendable {
  /// The application's number for it.
  package var index: Int
  package var uuid: BluetoothUUID
  package var flags: AttributeFlags
  /// The handle of the value; the declaration precedes it.
  package var handle: HandleRequest
  package var descriptors: [PublishedDescriptor]

  package init(
    index: Int, uuid: BluetoothUUID, flags: AttributeFlags, handle: HandleRequest = .anywhere,
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
  package var handle: HandleRequest

  package init(index: Int, uuid: BluetoothUUID, flags: AttributeFlags, handle: HandleRequest = .anywhere) {
    self.index = index
    self.uuid = uuid
    self.flags = flags
    self.handle = handle
  }
}

/// Why an application is refused, with the messages of GattManager1.RegisterApplication (measured).
package enum PublicationRefusal: String, Error, Sendable {
  case noObject = "No object received"
  case noService = "No valid service object found"
  case noEntry = "Failed to create entry in database"
}
