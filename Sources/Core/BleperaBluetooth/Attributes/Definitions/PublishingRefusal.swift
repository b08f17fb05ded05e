/// Why Core Bluetooth would refuse to publish a service, and which part of the service is at fault.
public struct PublishingRefusal: Error, Hashable, Sendable {
  /// The part at fault.
  public let place: Place
  /// The rule that the part breaks.
  public let reason: Reason

  /// Creates a refusal for one part.
  public init(at place: Place, _ reason: Reason) {
    self.place = place
    self.reason = reason
  }

  /// The part at fault, by its index in the definition.
  public enum Place: Hashable, Sendable {
    /// The service itself.
    case service
    /// The characteristic with that index.
    case characteristic(Int)
    /// The descriptor with that index of a characteristic.
    case descriptor(Int, ofCharacteristic: Int)
  }

  /// A rule of Core Bluetooth that a part can break.
  public enum Reason: Hashable, Sendable {
    /// `CBError.uuidNotAllowed`.
    case uuidNotAllowed(BluetoothUUID)
    /// A characteristic without any property.
    case noProperties
    /// Properties that only a remote characteristic has.
    case propertiesNotAllowed(CharacteristicProperties)
    /// A cached value with properties or permissions beyond reading.
    case cachedValueNotReadOnly(CharacteristicProperties, AttributePermissions)
    /// The number of bytes.
    case valueTooLong(Int)
    /// A descriptor that the system creates itself.
    case descriptorNotAllowed(BluetoothUUID)
    /// The number of bytes.
    case presentationFormatLength(Int)
  }
}

extension PublishingRefusal.Reason: CustomStringConvertible {
  /// A whole sentence that does not name the part.
  public var description: String {
    switch self {
    case .uuidNotAllowed(let uuid):
      return "Core Bluetooth does not publish service \(uuid) for an app (CBError.uuidNotAllowed)."
    case .noProperties:
      return "A characteristic needs at least one property: bluetoothd does not register others."
    case .propertiesNotAllowed(let properties):
      return "A published characteristic may not have the property \(properties)."
    case .cachedValueNotReadOnly(let properties, let permissions):
      let extra = properties.subtracting(.read).memberNames + permissions.subtracting(.readable).memberNames
      return "Characteristics with cached values must be read-only, and this one is also \(list(extra))."
    case .valueTooLong(let count):
      return "A value has at most \(AttributeValue.maximumLength) bytes, and this one has \(count)."
    case .descriptorNotAllowed(let uuid):
      return "The system makes the descriptor \(uuid) itself (CBError.invalidParameters)."
    case .presentationFormatLength(let count):
      return "The presentation format has 7 bytes, and this one has \(count)."
    }
  }

  private func list(_ names: [String]) -> String { names.joined(separator: ", ") }
}

extension PublishingRefusal: CustomStringConvertible {
  /// The part and a whole sentence: `characteristics[0]: ...`.
  public var description: String {
    switch place {
    case .service: "\(reason)"
    case .characteristic(let index): "characteristics[\(index)]: \(reason)"
    case .descriptor(let index, let characteristic):
      "characteristics[\(characteristic)].descriptors[\(index)]: \(reason)"
    }
  }
}

extension ServiceDefinition {
  /// The services that iOS publishes itself: Generic Access, Generic Attribute, Current Time, Device Information,
  /// Battery, and Apple's own.
  public static let ownedBySystem = ownedByDaemon.union([uuid16(0x1805), uuid16(0x180F)])
    .union([continuity, nearby, appleNotificationCenter, appleMedia])
  /// The services that every host publishes itself: Generic Access and Generic Attribute.
  package static let ownedByHost: Set<BluetoothUUID> = Set([0x1800, 0x1801].map(uuid16))
  /// The services that bluetoothd, and a phone without `ownedBySystem`, publish themselves: also Device Information.
  package static let ownedByDaemon = ownedByHost.union([uuid16(0x180A)])

  /// Handoff and other features among Apple's devices; Core Bluetooth calls the service *Continuity*.
  public static let continuity = BluetoothUUID(bits: 0xD061_1E78_BBB4_4591_A5F8_4879_10AE_4366)
  /// A service of Apple's that is next to Continuity, without public documentation.
  public static let nearby = BluetoothUUID(bits: 0x9FA4_80E0_4967_4542_9390_D343_DC5D_04AE)
  /// ANCS, Apple Notification Center Service.
  public static let appleNotificationCenter = BluetoothUUID(bits: 0x7905_F431_B5CE_4E99_A40F_4B1E_122D_00D0)
  /// AMS, Apple Media Service.
  public static let appleMedia = BluetoothUUID(bits: 0x89D3_502B_0F36_433A_8EF4_C502_AD55_F8DC)

  /// The services that Core Bluetooth does not publish for an app, each with its name: CBError.uuidNotAllowed.
  ///
  /// The author of Clak measured the seven 16-bit UUIDs and found their 128-bit forms accepted; the error for ANCS is
  /// reported in posts on the web.
  public static let refused: [BluetoothUUID: String] = [
    uuid16(0x1800): "Generic Access", uuid16(0x1801): "Generic Attribute", uuid16(0x1805): "Current Time",
    uuid16(0x180A): "Device Information", uuid16(0x180F): "Battery", uuid16(0x1812): "Human Interface Device",
    uuid16(0x181E): "Bond Management", appleNotificationCenter: "Apple Notification Center",
  ]

  /// The name of a service that Core Bluetooth does not publish for an app; nil for other services.
  public static func refusedName(of uuid: BluetoothUUID) -> String? {
    uuid == appleNotificationCenter || uuid.width == .bits16 ? refused[uuid] : nil
  }

  /// Every reason for which Core Bluetooth would refuse to publish the service, in the order of the service's parts;
  /// empty where it would publish the service. Core Bluetooth's answer to a characteristic without properties is not
  /// published; bluetoothd does not register such a characteristic, so no phone of blepera does, on any radio.
  public func refusals() -> [PublishingRefusal] {
    var refusals: [PublishingRefusal] = []
    if Self.refusedName(of: uuid) != nil { refusals.append(PublishingRefusal(at: .service, .uuidNotAllowed(uuid))) }
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
  /// The properties that Core Bluetooth allows only in remote characteristics.
  public static let remoteOnlyProperties: CharacteristicProperties = [.broadcast, .extendedProperties]

  /// The faults of the characteristic itself, without the faults of its descriptors.
  public func refusals() -> [PublishingRefusal.Reason] {
    var reasons: [PublishingRefusal.Reason] = []
    let remoteOnly = properties.intersection(Self.remoteOnlyProperties)
    if properties.isEmpty { reasons.append(.noProperties) }
    if !remoteOnly.isEmpty { reasons.append(.propertiesNotAllowed(remoteOnly)) }
    guard let value else { return reasons }
    if !properties.isSubset(of: .read) || !permissions.isSubset(of: [.readable, .readEncryptionRequired]) {
      reasons.append(.cachedValueNotReadOnly(properties, permissions))
    }
    if value.count > AttributeValue.maximumLength { reasons.append(.valueTooLong(value.count)) }
    return reasons
  }
}

extension DescriptorDefinition {
  /// Why Core Bluetooth would refuse the descriptor; empty if the descriptor can be published.
  public func refusals() -> [PublishingRefusal.Reason] {
    if Self.refused[uuid] != nil { return [.descriptorNotAllowed(uuid)] }
    if uuid == Self.presentationFormat, value.count != 7 { return [.presentationFormatLength(value.count)] }
    if value.count > AttributeValue.maximumLength { return [.valueTooLong(value.count)] }
    return []
  }
}
