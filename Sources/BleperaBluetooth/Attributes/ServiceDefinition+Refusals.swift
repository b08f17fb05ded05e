extension ServiceDefinition {
  /// The services that iOS publishes itself: Generic Access, Generic Attribute, Current Time, Device Information and
  /// Battery.
  public static let ownedBySystem: Set<BluetoothUUID> = Set([0x1800, 0x1801, 0x1805, 0x180A, 0x180F].map(uuid16))

  /// Everything for which Core Bluetooth would refuse to publish the service, in the order of its parts; empty where
  /// it would publish it.
  public func refusals() -> [PublishingRefusal] {
    var refusals: [PublishingRefusal] = []
    if Self.ownedBySystem.contains(uuid) { refusals.append(PublishingRefusal(at: .service, .uuidNotAllowed(uuid))) }
    for (index, characteristic) in characteristics.enumerated() {
      refusals += characteristic.refusals().map { PublishingRefusal(at: .characteristic(index), $0) }
      for (descriptorIndex, descriptor) in characteristic.descriptors.enumerated() {
        refusals += descriptor.refusals().map {
          PublishingRefusal(at: .descriptor(descriptorIndex, ofCharacteristic: index), $0)
        }
      }
    }
    return refusals
  }

  private static func uuid16(_ value: UInt16) -> BluetoothUUID { BluetoothUUID(value) }
}

extension CharacteristicDefinition {
  /// The properties that Core Bluetooth takes in remote characteristics only.
  public static let remoteOnlyProperties: CharacteristicProperties = [.broadcast, .extendedProperties]

  /// What is wrong with the characteristic itself; its descriptors answer for themselves.
  public func refusals() -> [PublishingRefusal.Reason] {
    var reasons: [PublishingRefusal.Reason] = []
    let remoteOnly = properties.intersection(Self.remoteOnlyProperties)
    if properties.isEmpty { reasons.append(.noProperties) }
    if !remoteOnly.isEmpty { reasons.append(.propertiesNotAllowed(remoteOnly)) }
    guard let value else { return reasons }
    if !properties.isSubset(of: .read) || !permissions.isSubset(of: .readable) {
      reasons.append(.cachedValueNotReadOnly(properties, permissions))
    }
    if value.count > AttributeValue.maximumLength { reasons.append(.valueTooLong(value.count)) }
    return reasons
  }
}

extension DescriptorDefinition {
  public func refusals() -> [PublishingRefusal.Reason] {
    guard uuid == Self.userDescription || uuid == Self.presentationFormat else { return [.descriptorNotAllowed(uuid)] }
    if uuid == Self.presentationFormat, value.count != 7 { return [.presentationFormatLength(value.count)] }
    if value.count > AttributeValue.maximumLength { return [.valueTooLong(value.count)] }
    return []
  }
}
