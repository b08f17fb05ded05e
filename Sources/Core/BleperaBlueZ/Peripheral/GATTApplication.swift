import BleperaBlueZProtocol
package import BleperaBluetooth
package import BleperaDBus

/// Services as the objects that GattManager1.RegisterApplication reads. The application never changes, because
/// bluetoothd ignores services that are added later.
package final class GATTApplication: Sendable {
  /// A service with its requested handles.
  package struct Service: Hashable, Sendable {
    package let definition: ServiceDefinition
    package let handles: ServiceHandles
    /// The first handles of the included services.
    package var included: [AttributeHandle] = []
  }

  package let root: ObjectPath
  /// In the order in which bluetoothd receives them: an included service before the including service.
  package let services: [Service]
  package let tree: ObjectTree
  /// The objects of characteristics, by the handles of their values, and of descriptors, by their handles.
  package let paths: [AttributeHandle: ObjectPath]
  /// The characteristics that notify and do not indicate.
  package let notifying: Set<ObjectPath>
  private let handles: [ObjectPath: AttributeHandle]

  package init(root: ObjectPath, services: [Service]) {
    self.root = root
    self.services = services
    var tree = ObjectTree()
    var paths: [AttributeHandle: ObjectPath] = [:]
    var notifying: Set<ObjectPath> = []
    tree.declare(root, .objectManager)
    for (index, service) in services.enumerated() {
      let path = Self.path(root, service: index)
      let included = service.included.compactMap { start in services.firstIndex { $0.handles.start == start } }
      tree.declare(
        path, .gattService,
        [
          ("UUID", .string(service.definition.uuid.longDescription)),
          ("Primary", .boolean(service.definition.isPrimary)),
          ("Includes", .paths(included.map { Self.path(root, service: $0) })),
          ("Handle", .uint16(service.handles.start.rawValue)),
        ])
      for (place, characteristic) in service.definition.characteristics.enumerated() {
        let handles = service.handles.characteristics[place]
        let characteristicPath = path.appending("char\(place)")
        paths[handles.value] = characteristicPath
        var properties: [(String, DBusValue)] = [
          ("UUID", .string(characteristic.uuid.longDescription)),
          ("Service", .objectPath(path)),
          ("Flags", .strings(CharacteristicFlags.flags(of: characteristic))),
          ("Handle", .uint16(handles.value.rawValue)),
        ]
        if !characteristic.properties.isDisjoint(with: .subscribable) {
          // The property makes bluetoothd call AcquireNotify, the only source of the subscribing central.
          properties.append(("NotifyAcquired", .boolean(false)))
          if characteristic.properties.isDisjoint(with: [.indicate, .indicateEncryptionRequired]) {
            notifying.insert(characteristicPath)
          }
        }
        tree.declare(characteristicPath, .gattCharacteristic, properties)
        for (position, descriptor) in characteristic.descriptors.enumerated() {
          let descriptorPath = characteristicPath.appending("desc\(position)")
          paths[handles.descriptors[position]] = descriptorPath
          tree.declare(
            descriptorPath, .gattDescriptor,
            [
              ("UUID", .string(descriptor.uuid.longDescription)),
              ("Characteristic", .objectPath(characteristicPath)),
              ("Flags", .strings(CharacteristicFlags.flags(of: descriptor))),
              ("Handle", .uint16(handles.descriptors[position].rawValue)),
            ])
        }
      }
    }
    self.tree = tree
    self.paths = paths
    self.notifying = notifying
    handles = Dictionary(paths.map { ($0.value, $0.key) }) { first, _ in first }
  }

  /// The handles of each service.
  package var ranges: [ClosedRange<AttributeHandle>] { services.map { $0.handles.start...$0.handles.end } }

  /// The handle of a characteristic's value or of a descriptor.
  package func handle(at path: ObjectPath) -> AttributeHandle? { handles[path] }

  private static func path(_ root: ObjectPath, service: Int) -> ObjectPath { root.appending("service\(service)") }
}

extension ObjectTree {
  /// Adds one of our own interfaces; an error is a programming error.
  mutating func declare(
    _ path: ObjectPath, _ interface: InterfaceDescription, _ properties: [(String, DBusValue)] = []
  ) {
    do {
      try add(path, interface: interface, properties: properties)
    } catch {
      preconditionFailure("\(error)")
    }
  }
}
