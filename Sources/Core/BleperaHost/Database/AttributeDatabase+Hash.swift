package import BleperaBluetooth

extension AttributeDatabase {
  /// The UUIDs of all services, in the order of their handles.
  package var serviceUUIDs: [BluetoothUUID] { services.map(\.uuid) }

  /// The UUIDs of the services that no application has published.
  package var ownServiceUUIDs: [BluetoothUUID] { services.filter { $0.application == nil }.map(\.uuid) }

  /// The Database Hash in the byte order of the value on the air (Core Specification, Vol 3, Part G, 7.3.1).
  package var hash: [UInt8] {
    var message: [UInt8] = []
    for attribute in services.flatMap(\.attributes) {
      switch attribute.type {
      case AttributeTypes.primaryService, AttributeTypes.secondaryService, AttributeTypes.include,
        AttributeTypes.characteristic, AttributeTypes.extendedProperties:
        message += LittleEndian.bytes(attribute.handle) + attribute.type.littleEndianBytes
        if case .fixed(let bytes) = attribute.content { message += bytes }
      default:
        guard Self.hashedDescriptors.contains(attribute.type) else { continue }
        message += LittleEndian.bytes(attribute.handle) + attribute.type.littleEndianBytes
      }
    }
    return AESCMAC.tag(of: message, key: Array(repeating: 0, count: 16)).reversed()
  }

  /// The descriptors whose types the hash includes without their values.
  private static let hashedDescriptors: Set<BluetoothUUID> = [
    BluetoothUUID(0x2901 as UInt16), BluetoothUUID(0x2902 as UInt16), BluetoothUUID(0x2903 as UInt16),
    BluetoothUUID(0x2904 as UInt16), BluetoothUUID(0x2905 as UInt16),
  ]
}
