package import BleperaBluetooth

/// A service as a central has discovered it.
package struct RemoteService: Hashable, Sendable {
  package let range: ClosedRange<AttributeHandle>
  package let uuid: BluetoothUUID
  package let isPrimary: Bool
  /// The declaration handles of included services.
  package let includes: [AttributeHandle]
  package let characteristics: [RemoteCharacteristic]
}

/// A characteristic as a central has discovered it.
package struct RemoteCharacteristic: Hashable, Sendable {
  package let declaration: AttributeHandle
  package let value: AttributeHandle
  package let uuid: BluetoothUUID
  /// The properties byte of the declaration.
  package let properties: UInt8
  /// The value of Characteristic Extended Properties; 0 without the descriptor.
  package var extendedProperties: UInt8 = 0
  package let descriptors: [RemoteDescriptor]

  package var clientConfiguration: AttributeHandle? {
    descriptors.first { $0.uuid == DescriptorDefinition.clientCharacteristicConfiguration }?.handle
  }
}

/// A descriptor as a central has discovered it.
package struct RemoteDescriptor: Hashable, Sendable {
  package let handle: AttributeHandle
  package let uuid: BluetoothUUID
}

/// The database as a central discovers it.
extension AttributeDatabase {
  /// All services, as discovery returns them.
  package var remoteServices: [RemoteService] { services.map(Self.remote) }

  private static func remote(_ service: DatabaseService) -> RemoteService {
    var includes: [AttributeHandle] = []
    var characteristics: [RemoteCharacteristic] = []
    for attribute in service.attributes.dropFirst() {
      switch attribute.type {
      case AttributeTypes.include:
        guard case .fixed(let bytes) = attribute.content else { continue }
        includes.append(AttributeHandle(rawValue: LittleEndian.number(bytes[..<2])))
      case AttributeTypes.characteristic:
        guard case .fixed(let bytes) = attribute.content, let uuid = BluetoothUUID(littleEndian: bytes.dropFirst(3))
        else { continue }
        characteristics.append(
          RemoteCharacteristic(
            declaration: attribute.handle,
            value: AttributeHandle(rawValue: LittleEndian.number(bytes[1..<3])), uuid: uuid,
            properties: bytes[0], descriptors: []))
      default:
        guard let last = characteristics.popLast() else { continue }
        let descriptor = RemoteDescriptor(handle: attribute.handle, uuid: attribute.type)
        var extended = last.extendedProperties
        if attribute.type == AttributeTypes.extendedProperties, case .fixed(let bytes) = attribute.content {
          extended = bytes[0]
        }
        characteristics.append(
          RemoteCharacteristic(
            declaration: last.declaration, value: last.value, uuid: last.uuid, properties: last.properties,
            extendedProperties: extended,
            descriptors: attribute.handle == last.value ? last.descriptors : last.descriptors + [descriptor]))
      }
    }
    return RemoteService(
      range: service.range, uuid: service.uuid, isPrimary: service.isPrimary, includes: includes,
      characteristics: characteristics)
  }

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

  /// Descriptors of which the hash includes the type but not the value.
  private static let hashedDescriptors: Set<BluetoothUUID> = [
    BluetoothUUID(0x2901 as UInt16), BluetoothUUID(0x2902 as UInt16), BluetoothUUID(0x2903 as UInt16),
    BluetoothUUID(0x2904 as UInt16), BluetoothUUID(0x2905 as UInt16),
  ]
}
