import BleperaBlueZProtocol
import BleperaBluetooth
package import BleperaDBus
package import BleperaHost

/// Reads an application from the reply of GetManagedObjects at its root, in the order of the reply (BlueZ
/// src/gatt-database.c).
package struct ApplicationReader {
  package private(set) var services: [PublishedService] = []
  private(set) var servicePaths: [(path: ObjectPath, wantsHandle: Bool)] = []
  /// By their number on the air.
  package private(set) var objects: [RegisteredApplication.Object] = []
  private var places: [ObjectPath: Int] = [:]

  package init(_ managedObjects: DBusValue?) throws(PublicationRefusal) {
    guard case .dictionary(let dictionary)? = managedObjects else { throw .noObject }
    var found: [(path: ObjectPath, interface: InterfaceName, properties: [String: DBusValue])] = []
    for entry in dictionary.entries {
      guard let path = entry.key.path, case .dictionary(let interfaces) = entry.value else { continue }
      for interface in interfaces.entries {
        guard let name = interface.key.text.flatMap({ InterfaceName($0) }),
          let properties = interface.value.asProperties
        else { continue }
        found.append((path, name, properties))
      }
    }
    guard !found.isEmpty else { throw .noObject }
    for object in found where object.interface == BlueZName.gattService {
      try addService(object.path, object.properties)
    }
    guard !services.isEmpty else { throw .noService }
    var characteristics: [ObjectPath: (service: Int, place: Int)] = [:]
    for object in found where object.interface == BlueZName.gattCharacteristic {
      guard let service = object.properties["Service"]?.path.flatMap({ places[$0] }),
        let uuid = Self.uuid(object.properties), let flags = Self.flags(object.properties)
      else { throw .noService }
      let characteristic = PublishedCharacteristic(
        index: objects.count, uuid: uuid, flags: flags, handle: Self.handle(object.properties))
      characteristics[object.path] = (service, services[service].characteristics.count)
      services[service].characteristics.append(characteristic)
      append(object.path, object.properties, isDescriptor: false)
    }
    for object in found where object.interface == BlueZName.gattDescriptor {
      guard let owner = object.properties["Characteristic"]?.path.flatMap({ characteristics[$0] }),
        let uuid = Self.uuid(object.properties), let flags = Self.flags(object.properties)
      else { throw .noService }
      services[owner.service].characteristics[owner.place].descriptors.append(
        PublishedDescriptor(
          index: objects.count, uuid: uuid, flags: flags, handle: Self.handle(object.properties)))
      append(object.path, object.properties, isDescriptor: true)
    }
  }

  /// Whether a subscription needs a permission.
  var hasNotifyPermissions: Bool {
    services.flatMap(\.characteristics).contains {
      !$0.flags.isDisjoint(with: [.encryptSubscribe, .authenticateSubscribe])
    }
  }

  /// Whether every characteristic has an explicit handle.
  package var hasExplicitHandles: Bool {
    services.allSatisfy { $0.characteristics.allSatisfy { $0.handle != .anywhere } }
  }

  private mutating func addService(
    _ path: ObjectPath, _ properties: [String: DBusValue]
  ) throws(PublicationRefusal) {
    guard let isPrimary = properties["Primary"]?.bool, properties["UUID"]?.text != nil else { throw .noService }
    guard let uuid = Self.uuid(properties) else { throw .noEntry }
    places[path] = services.count
    // Only earlier services or this one; bluetoothd ignores others and logs a line.
    let includes = (properties["Includes"]?.pathArray ?? []).compactMap { places[$0] }
    services.append(
      PublishedService(uuid: uuid, isPrimary: isPrimary, handle: Self.handle(properties), includes: includes))
    servicePaths.append((path, Self.wantsHandle(properties)))
  }

  private mutating func append(_ path: ObjectPath, _ properties: [String: DBusValue], isDescriptor: Bool) {
    objects.append(
      RegisteredApplication.Object(
        path: path, isDescriptor: isDescriptor, canAcquireNotify: properties["NotifyAcquired"] != nil,
        wantsHandle: Self.wantsHandle(properties)))
  }

  private static func uuid(_ properties: [String: DBusValue]) -> BluetoothUUID? {
    properties["UUID"]?.text.flatMap { BluetoothUUID($0) }
  }

  private static func flags(_ properties: [String: DBusValue]) -> AttributeFlags? {
    properties["Flags"]?.stringArray.flatMap { AttributeFlags(names: $0) }
  }

  private static func handle(_ properties: [String: DBusValue]) -> HandleRequest {
    guard case .uint16(let handle)? = properties["Handle"], handle != 0 else { return .anywhere }
    return .exactly(AttributeHandle(rawValue: handle))
  }

  private static func wantsHandle(_ properties: [String: DBusValue]) -> Bool { properties["Handle"] == .uint16(0) }
}
