/// A descriptor as an app publishes it, in the shape of `CBMutableDescriptor`: the system keeps its value.
public struct DescriptorDefinition: Hashable, Codable, Sendable {
  public var uuid: BluetoothUUID
  public var value: [UInt8]
  /// Core Bluetooth's descriptors can only be read; `writeable` is blepera's own, and what was written is kept until
  /// the service is unpublished.
  public var permissions: AttributePermissions

  public init(uuid: BluetoothUUID, value: [UInt8], permissions: AttributePermissions = .readable) {
    self.uuid = uuid
    self.value = value
    self.permissions = permissions
  }

  /// Characteristic User Description, UTF-8.
  public static let userDescription = BluetoothUUID(0x2901 as UInt16)
  /// Client Characteristic Configuration, made by the system.
  public static let clientCharacteristicConfiguration = BluetoothUUID(0x2902 as UInt16)
  /// Characteristic Presentation Format, seven bytes.
  public static let presentationFormat = BluetoothUUID(0x2904 as UInt16)
}
