/// A characteristic as an app publishes it, in the shape of `CBMutableCharacteristic`.
public struct CharacteristicDefinition: Hashable, Codable, Sendable {
  public var uuid: BluetoothUUID
  public var properties: CharacteristicProperties
  public var permissions: AttributePermissions
  /// The cached value that the system answers reads with and that never changes; nil makes the value dynamic: the
  /// app answers. Core Bluetooth: "Characteristics with cached values must be read-only".
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
