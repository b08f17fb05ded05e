extension ObjectTree {
  /// The signals to emit when one tree replaces another: InterfacesRemoved, the object added last first; then
  /// InterfacesAdded and then PropertiesChanged, each in the order in which the objects were added.
  ///
  /// An interface whose description has changed is removed and added. Objects without an object manager above them emit
  /// no such signal. A removed or `invalidates` property is in the invalidated list.
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

/// A checked value that a Properties.Set call gives to a property of the same type.
package struct PropertyChange: Hashable, Sendable {
  package let path: ObjectPath
  package let interface: InterfaceName
  package let property: MemberName
  package let value: DBusValue
}

/// Single signals of single objects, for a tree that is too large to compare with its previous state.
extension ObjectTree {
  /// The signal to emit after an object is added; nil without an object manager above it.
  package func interfacesAdded(at path: ObjectPath) -> Signal? {
    guard let object = objects[path], let manager = manager(of: path) else { return nil }
    return .interfacesAdded(manager: manager, object: path, object.managed.interfacesAndProperties)
  }

  /// The signal to emit before an object is removed; nil without an object manager above it.
  package func interfacesRemoved(at path: ObjectPath) -> Signal? {
    guard let object = objects[path], let manager = manager(of: path) else { return nil }
    return .interfacesRemoved(manager: manager, object: path, object.managed.map(\.name))
  }
}

/// The signals of the standard interfaces (D-Bus specification, "Standard Interfaces").
extension Signal {
  /// The signal of a change, or of a notification of an unchanged value, which `ObjectTree.changes` does not report.
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
