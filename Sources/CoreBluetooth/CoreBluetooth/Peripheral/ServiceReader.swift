import BleperaAppLink
import BleperaBluetooth

/// Reads the definition of a service from the app's objects.
enum ServiceReader {
  enum Refusal: Error {
    /// The text of the exception that Core Bluetooth raises.
    case exception(String)
    case code(CBError.Code)
  }

  static func definition(of service: CBMutableService) throws(Refusal) -> ServiceDefinition {
    var definition = ServiceDefinition(
      uuid: service.uuid.uuid, isPrimary: service.isPrimary,
      includedServices: (service.includedServices ?? []).map(\.uuid.uuid))
    for characteristic in service.characteristics ?? [] {
      guard let characteristic = characteristic as? CBMutableCharacteristic else { throw .code(.invalidParameters) }
      definition.characteristics.append(try read(characteristic))
    }
    return definition
  }

  private static func read(_ characteristic: CBMutableCharacteristic) throws(Refusal) -> CharacteristicDefinition {
    var definition = CharacteristicDefinition(
      uuid: characteristic.uuid.uuid,
      properties: CharacteristicProperties(rawValue: UInt16(truncatingIfNeeded: characteristic.properties.rawValue)),
      permissions: AttributePermissions(rawValue: UInt16(truncatingIfNeeded: characteristic.permissions.rawValue)),
      value: characteristic.value.map { Array($0) })
    for case .cachedValueNotReadOnly in definition.refusals() {
      throw .exception("Characteristics with cached values must be read-only")
    }
    for descriptor in characteristic.descriptors ?? [] {
      guard let value = bytes(of: descriptor.value) else { throw .code(.invalidParameters) }
      definition.descriptors.append(DescriptorDefinition(uuid: descriptor.uuid.uuid, value: value))
    }
    return definition
  }

  /// The bytes of a descriptor's value; nil for a value that no descriptor can have.
  private static func bytes(of value: Any?) -> [UInt8]? {
    switch value {
    case nil: []
    case let text as String: Array(text.utf8)
    case let text as NSString: Array("\(text)".utf8)
    case let data as Data: Array(data)
    case let data as NSData: Array(Data(referencing: data))
    default: nil
    }
  }
}

/// Creates the objects of restored services.
enum RestoredObjects {
  static func services(
    _ services: [RestoredService], central: (CentralDescription) -> CBCentral
  ) -> [(number: ServiceID, service: CBMutableService)] {
    let objects = services.map { restored in
      let service = CBMutableService(type: CBUUID(restored.service.uuid), primary: restored.service.isPrimary)
      service.characteristics = restored.service.characteristics.map { characteristic($0) }
      for subscription in restored.subscriptions {
        guard let members = service.characteristics, members.indices.contains(subscription.index) else { continue }
        (members[subscription.index] as? CBMutableCharacteristic)?.subscribers = subscription.centrals.map(central)
      }
      return (number: restored.id, service: service)
    }
    for (restored, object) in zip(services, objects) where !restored.service.includedServices.isEmpty {
      object.service.includedServices = restored.service.includedServices.compactMap { uuid in
        objects.first { $0.service.uuid.uuid == uuid }?.service
      }
    }
    return objects
  }

  private static func characteristic(_ definition: CharacteristicDefinition) -> CBMutableCharacteristic {
    let object = CBMutableCharacteristic(
      type: CBUUID(definition.uuid),
      properties: CBCharacteristicProperties(rawValue: UInt(definition.properties.rawValue)),
      value: definition.value.map { Data($0) },
      permissions: CBAttributePermissions(rawValue: UInt(definition.permissions.rawValue)))
    if !definition.descriptors.isEmpty {
      object.descriptors = definition.descriptors.map { descriptor in
        let isText = descriptor.uuid == DescriptorDefinition.userDescription
        return CBMutableDescriptor(
          type: CBUUID(descriptor.uuid),
          value: isText ? String(decoding: descriptor.value, as: UTF8.self) : Data(descriptor.value))
      }
    }
    return object
  }
}

/// The dictionary of `startAdvertising(_:)`.
enum Advertisement {
  static func read(_ dictionary: [String: Any]) -> AdvertisementData {
    var data = AdvertisementData()
    for (key, value) in dictionary {
      switch key {
      case CBAdvertisementDataLocalNameKey: data.localName = value as? String ?? (value as? NSString).map { "\($0)" }
      case CBAdvertisementDataServiceUUIDsKey:
        let uuids = (value as? [CBUUID]) ?? ((value as? NSArray)?.compactMap { $0 as? CBUUID } ?? [])
        data.serviceUUIDs = uuids.map(\.uuid)
      default: Misuse.log("WARNING: The advertisement key '\(key)' is not allowed")
      }
    }
    return data
  }

  static func dictionary(_ data: AdvertisementData) -> [String: Any] {
    var dictionary: [String: Any] = [:]
    if let name = data.localName { dictionary[CBAdvertisementDataLocalNameKey] = name }
    if !data.serviceUUIDs.isEmpty {
      dictionary[CBAdvertisementDataServiceUUIDsKey] = data.serviceUUIDs.map { CBUUID($0) }
    }
    return dictionary
  }
}
