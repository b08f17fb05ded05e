package import DBus
package import GATT

/// Services as the objects that GattManager1.RegisterApplication reads: one application, because bluetoothd passes
/// over services that are added to one later.
package struct GATTApplication: Sendable {
  /// A service with the handles that it asks for.
  package struct Service: Hashable, Sendable {
    package let definition: ServiceDefinition
    package let handles: ServiceHandles

    package init(definition: ServiceDefinition, handles: ServiceHandles) {
      self.definition = definition
      self.handles = handles
    }
  }

  package let root: ObjectPath
  /// In the order in which bluetoothd hears of them: an included service before the one that includes it.
  package let services: [Service]
  package let tree: ObjectTree
  private let attributes: [ObjectPath: AttributeID]

  package init(root: ObjectPath, services: [Service]) {
    self.root = root
    self.services = services
    var tree = ObjectTree()
    var attributes: [ObjectPath: AttributeID] = [:]
    tree.declare(root, .objectManager)
    for (index, service) in services.enumerated() {
      let path = Self.path(root, service: index)
      let included = service.definition.includedServices.compactMap { uuid in
        services.firstIndex { $0.definition.uuid == uuid }.map { Self.path(root, service: $0) }
      }
      tree.declare(
        path, .gattService,
        [
          ("UUID", .string(service.definition.uuid.longDescription)),
          ("Primary", .boolean(service.definition.isPrimary)),
          ("Includes", .paths(included)),
          ("Handle", .uint16(service.handles.start.rawValue)),
        ])
      for (place, characteristic) in service.definition.characteristics.enumerated() {
        let id = AttributeID(service: index, characteristic: place)
        let handles = service.handles.characteristics[place]
        let characteristicPath = Self.path(root, attribute: id)
        attributes[characteristicPath] = id
        var properties: [(String, DBusValue)] = [
          ("UUID", .string(characteristic.uuid.longDescription)),
          ("Service", .objectPath(path)),
          ("Flags", .strings(CharacteristicFlags.flags(of: characteristic))),
          ("Handle", .uint16(handles.value.rawValue)),
        ]
        if !characteristic.properties.isDisjoint(with: .subscribable) {
          // Its presence makes bluetoothd call AcquireNotify, the only way to hear which central subscribes.
          properties.append(("NotifyAcquired", .boolean(false)))
        }
        tree.declare(characteristicPath, .gattCharacteristic, properties)
        for (position, descriptor) in characteristic.descriptors.enumerated() {
          let id = AttributeID(service: index, characteristic: place, descriptor: position)
          let descriptorPath = Self.path(root, attribute: id)
          attributes[descriptorPath] = id
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
    self.attributes = attributes
  }

  package func attribute(at path: ObjectPath) -> AttributeID? { attributes[path] }

  package func path(of attribute: AttributeID) -> ObjectPath { Self.path(root, attribute: attribute) }

  package func characteristic(_ id: AttributeID) -> CharacteristicDefinition {
    services[id.service].definition.characteristics[id.characteristic]
  }

  private static func path(_ root: ObjectPath, service: Int) -> ObjectPath { root.appending("service\(service)") }

  private static func path(_ root: ObjectPath, attribute: AttributeID) -> ObjectPath {
    let characteristic = path(root, service: attribute.service).appending("char\(attribute.characteristic)")
    return attribute.descriptor.map { characteristic.appending("desc\($0)") } ?? characteristic
  }
}
