/// A characteristic that an app publishes, modeled on `CBMutableCharacteristic`.
public struct CharacteristicDefinition: Hashable, Codable, Sendable {
  /// The type of the characteristic.
  public var uuid: BluetoothUUID
  /// What the characteristic announces to centrals.
  public var properties: CharacteristicProperties
  /// What centrals may do, and whether the link must be encrypted for it.
  public var permissions: AttributePermissions
  /// The cached value, which never changes and with which the system responds to reads; nil for a dynamic value, for
  /// which the app responds. Core Bluetooth: "Characteristics with cached values must be read-only".
  public var value: [UInt8]?
  /// Descriptors besides those that the system creates.
  public var descriptors: [DescriptorDefinition]

  /// Creates a characteristic.
  ///
  /// - Parameter value: The cached value; nil for a dynamic value, for which the app responds.
  public init(
    uuid: BluetoothUUID, properties: CharacteristicProperties, permissions: AttributePermissions,
    value: [UInt8]? = nil, descriptors: [DescriptorDefinition] = []
  ) {
    self.uuid = uuid
    self.properties = properties
    self.permissions = permissions
    self.value = value
    self.descriptors = descriptors
  }
}
