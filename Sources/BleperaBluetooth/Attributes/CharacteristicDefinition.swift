/// A characteristic that an app publishes, modeled on `CBMutableCharacteristic`.
public struct CharacteristicDefinition: Hashable, Codable, Sendable {
  public var uuid: BluetoothUUID
  public var properties: CharacteristicProperties
  public var permissions: AttributePermissions
  /// The cached value, which never changes and with which the system responds to reads; nil for a dynamic value, for
  /// which the app responds. Core Bluetooth: "Characteristics with cached values must be read-only".
  public var value: [UInt8]?
  public var descriptors: [DescriptorDefinition]

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
