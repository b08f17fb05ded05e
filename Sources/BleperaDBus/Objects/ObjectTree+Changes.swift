extension ObjectTree {
  /// What to emit when one tree takes the place of another: InterfacesRemoved, the object added last first; then
  /// InterfacesAdded and then PropertiesChanged, each in the order the objects were added.
  ///
  /// An interface whose description has changed is removed and added. What comes and goes below no object manager is
  /// not told of. A property that has gone, or that says it invalidates, is in the invalidated list.
  package static func changes(from old: ObjectTree, to new: ObjectTree) -> [Signal] {
    removed(from: old, to: new) + added(from: old, to: new) + changed(from: old, to: new)
  }

  private static func removed(from old: ObjectTree, to new: ObjectTree) -> [Signal] {
    old.sorted.reversed().compactMap { object in
      let gone = object.managed.filter { !new.has($0.description, at: object.path) }
      guard !gone.isEmpty, let manager = old.manager(of: object.path) else { return nil }
      return .interfacesRemoved(manager: manager, object: object.path, gone.map(\.name))
    }
  }

  private static func added(from old: ObjectTree, to new: ObjectTree) -> [Signal] {
    new.sorted.compactMap { object in
      let come = object.managed.filter { !old.has($0.description, at: object.path) }
      guard !come.isEmpty, let manager = new.manager(of: object.path) else { return nil }
      return .interfacesAdded(manager: manager, object: object.path, come.interfacesAndProperties)
    }
  }

  private static func changed(from old: ObjectTree, to new: ObjectTree) -> [Signal] {
    new.sorted.flatMap { object in
      object.interfaces.compactMap { interface in
        guard let before = old.objects[object.path]?.interface(interface.name),
          before.description == interface.description
        else { return nil }
        return changed(at: object.path, from: before, to: interface)
      }
    }
  }

  private static func changed(
    at path: ObjectPath, from old: ExportedInterface, to new: ExportedInterface
  ) -> Signal? {
    var changed: [(String, DBusValue)] = []
    var invalidated: [String] = []
    for (index, property) in new.description.properties.enumerated() {
      guard property.access.isReadable, old.values[index] != new.values[index] else { continue }
      switch (property.emitsChanged, new.values[index]) {
      case (.constant, _), (.nothing, _): continue
      case (.value, let value?): changed.append((property.name.rawValue, value))
      case (.value, nil), (.invalidates, _): invalidated.append(property.name.rawValue)
      }
    }
    guard !changed.isEmpty || !invalidated.isEmpty else { return nil }
    return .propertiesChanged(path, new.name, changed: changed, invalidated: invalidated)
  }

  private func has(_ description: InterfaceDescription, at path: ObjectPath) -> Bool {
    objects[path]?.interface(description.name)?.description == description
  }
}

/// A value that a caller of Properties.Set may give to a property; its type is the property's.
package struct PropertyChange: Hashable, Sendable {
  package let path: ObjectPath
  package let interface: InterfaceName
  package let property: MemberName
  package let value: DBusValue
}

/// One signal of one object, for a tree that is too large to be compared with what it was.
extension ObjectTree {
  /// What to emit when the object has come; nil where no object manager is above it.
  package func interfacesAdded(at path: ObjectPath) -> Signal? {
    guard let object = objects[path], let manager = manager(of: path) else { return nil }
    return .interfacesAdded(manager: manager, object: path, object.managed.interfacesAndProperties)
  }

  /// What to emit before the object is removed; nil where no object manager is above it.
  package func interfacesRemoved(at path: ObjectPath) -> Signal? {
    guard let object = objects[path], let manager = manager(of: path) else { return nil }
    return .interfacesRemoved(manager: manager, object: path, object.managed.map(\.name))
  }
}

/// The signals of the standard interfaces (D-Bus specification, "Standard Interfaces").
extension Signal {
  /// Also for a value that is the same as before, which `ObjectTree.changes` does not tell of: a notification.
  package static func propertiesChanged(
    _ path: ObjectPath, _ interface: InterfaceName, changed: [(String, DBusValue)], invalidated: [String] = []
  ) -> Signal {
    Signal(
      path: path, interface: .properties, member: "PropertiesChanged",
      arguments: [.string(interface.rawValue), .properties(changed), .strings(invalidated)])
  }

  /// `interfaces` is an `a{sa{sv}}`.
  static func interfacesAdded(manager: ObjectPath, object: ObjectPath, _ interfaces: DBusValue) -> Signal {
    Signal(
      path: manager, interface: .objectManager, member: "InterfacesAdded",
      arguments: [.objectPath(object), interfaces])
  }

  static func interfacesRemoved(manager: ObjectPath, object: ObjectPath, _ interfaces: [InterfaceName]) -> Signal {
    Signal(
      path: manager, interface: .objectManager, member: "InterfacesRemoved",
      arguments: [.objectPath(object), .strings(interfaces.map(\.rawValue))])
  }
}
