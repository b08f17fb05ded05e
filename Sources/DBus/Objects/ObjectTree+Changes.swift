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
