/// Why Core Bluetooth would refuse to publish a service, and which part of the service is at fault.
public struct PublishingRefusal: Error, Hashable, Sendable {
  /// The part at fault.
  public let place: Place
  /// What is wrong with the part.
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

  /// What Core Bluetooth does not accept.
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
  /// One whole sentence that does not name the part.
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
  /// The part and one whole sentence: `characteristics[0]: ...`.
  public var description: String {
    switch place {
    case .service: "\(reason)"
    case .characteristic(let index): "characteristics[\(index)]: \(reason)"
    case .descriptor(let index, let characteristic):
      "characteristics[\(characteristic)].descriptors[\(index)]: \(reason)"
    }
  }
}
