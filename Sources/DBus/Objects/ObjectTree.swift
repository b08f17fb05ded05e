/// Which objects a connection has, with which interfaces and properties: a value, so that two of them can be compared.
package struct ObjectTree: Sendable {
  private(set) var objects: [ObjectPath: ExportedObject] = [:]
  private var nextPlace = 0

  package init() {}

  /// In the order they were added.
  package var paths: [ObjectPath] { sorted.map(\.path) }

  var sorted: [ExportedObject] { objects.values.sorted { $0.place < $1.place } }

  package func contains(_ path: ObjectPath, interface: InterfaceName? = nil) -> Bool {
    guard let object = objects[path] else { return false }
    return interface.map { object.interface($0) != nil } ?? true
  }

  /// Gives an object one more interface, the first one making the object. A property that is declared but not given is
  /// one that the object does not have. Properties, Introspectable and Peer are there without being added.
  package mutating func add(
    _ path: ObjectPath, interface description: InterfaceDescription, properties: [(String, DBusValue)] = []
  ) throws(ObjectTreeFault) {
    var object = objects[path] ?? ExportedObject(path: path, place: nextPlace)
    guard object.interface(description.name) == nil,
      !InterfaceDescription.implied.contains(where: { $0.name == description.name })
    else { throw .interfaceExists(path, description.name) }
    var interface = ExportedInterface(description)
    for (name, value) in properties {
      guard let index = interface.index(of: name) else { throw .unknownProperty(path, description.name, name) }
      guard value.isOf(description.properties[index].type) else {
        throw .typeMismatch(path, description.properties[index], value)
      }
      interface.values[index] = value
    }
    object.interfaces.append(interface)
    if object.place == nextPlace { nextPlace += 1 }
    objects[path] = object
  }

  /// Whether there was such an object; those below it stay.
  @discardableResult
  package mutating func remove(_ path: ObjectPath) -> Bool { objects.removeValue(forKey: path) != nil }

  /// Whether there was such an interface; an object goes with its last one.
  @discardableResult
  package mutating func remove(_ path: ObjectPath, interface: InterfaceName) -> Bool {
    guard var object = objects[path], let index = object.interfaces.firstIndex(where: { $0.name == interface })
    else { return false }
    object.interfaces.remove(at: index)
    objects[path] = object.interfaces.isEmpty ? nil : object
    return true
  }

  /// Removes an object and all below it.
  package mutating func removeSubtree(_ path: ObjectPath) {
    objects = objects.filter { $0.key != path && !path.isAncestor(of: $0.key) }
  }

  /// Gives a property a value whatever its access, or takes it away with nil.
  package mutating func update(
    _ path: ObjectPath, _ interface: InterfaceName, _ property: MemberName, to value: DBusValue?
  ) throws(ObjectTreeFault) {
    guard var object = objects[path] else { throw .unknownObject(path) }
    guard let place = object.interfaces.firstIndex(where: { $0.name == interface }) else {
      throw .unknownInterface(path, interface)
    }
    guard let index = object.interfaces[place].index(of: property.rawValue) else {
      throw .unknownProperty(path, interface, property.rawValue)
    }
    let description = object.interfaces[place].description.properties[index]
    if let value, !value.isOf(description.type) { throw .typeMismatch(path, description, value) }
    object.interfaces[place].values[index] = value
    objects[path] = object
  }

  /// Takes what a caller of Properties.Set gave.
  package mutating func apply(_ change: PropertyChange) throws(ObjectTreeFault) {
    try update(change.path, change.interface, change.property, to: change.value)
  }

  /// Whether the path is an object's or leads to one; the root always is.
  package func isNode(_ path: ObjectPath) -> Bool {
    path.isRoot || objects[path] != nil || objects.keys.contains { path.isAncestor(of: $0) }
  }

  /// The closest object above the path that has ObjectManager.
  package func manager(of path: ObjectPath) -> ObjectPath? {
    var above = path.parent
    while let candidate = above {
      if objects[candidate]?.isManager == true { return candidate }
      above = candidate.parent
    }
    return nil
  }
}
