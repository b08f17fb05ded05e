import BleperaBluetooth

@testable import BleperaHost

/// The database as a central discovers it, made from its attributes without a request.
extension AttributeDatabase {
  /// All services, as discovery returns them.
  var remoteServices: [RemoteService] { services.map(Self.remote) }

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
}
