/// A descriptor that an app publishes, modeled on `CBMutableDescriptor`; the system keeps its value.
public struct DescriptorDefinition: Hashable, Codable, Sendable {
  /// The type of the descriptor.
  public var uuid: BluetoothUUID
  /// The value with which the descriptor is published.
  public var value: [UInt8]
  /// Core Bluetooth's descriptors are read-only; `writeable` is blepera's own, and a written value is kept until the
  /// service is unpublished.
  public var permissions: AttributePermissions

  /// Creates a descriptor, which centrals may read unless stated otherwise.
  public init(uuid: BluetoothUUID, value: [UInt8], permissions: AttributePermissions = .readable) {
    self.uuid = uuid
    self.value = value
    self.permissions = permissions
  }

  /// Characteristic User Description, UTF-8.
  public static let userDescription = BluetoothUUID(0x2901 as UInt16)
  /// Client Characteristic Configuration, created by the system.
  public static let clientCharacteristicConfiguration = BluetoothUUID(0x2902 as UInt16)
  /// The descriptors that the system creates itself, each with its name: Core Bluetooth refuses them with
  /// CBError.invalidParameters. Apple documents 2901 and 2904 alone; the author of Clak found all others accepted.
  public static let refused: [BluetoothUUID: String] = [
    BluetoothUUID(0x2900 as UInt16): "Characteristic Extended Properties",
    clientCharacteristicConfiguration: "Client Characteristic Configuration",
    BluetoothUUID(0x2903 as UInt16): "Server Characteristic Configuration",
  ]
  /// Characteristic Presentation Format, seven bytes.
  public static let presentationFormat = BluetoothUUID(0x2904 as UInt16)
}
