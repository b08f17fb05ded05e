extension ObjectTree {
  /// The reply of GetManagedObjects: `a{oa{sa{sv}}}` of every object below `root` but not of `root`, in the order they
  /// were added, which is the order bluetoothd builds services in. Objects below a second manager are among them.
  package func managedObjects(under root: ObjectPath) -> DBusValue {
    let below = sorted.filter { root.isAncestor(of: $0.path) }
    return .dictionary(
      DBusDictionary(
        checkedEntries: below.map { (.objectPath($0.path), $0.managed.interfacesAndProperties) },
        key: .objectPath, value: .interfaces))
  }

  /// A property's value whoever may read it; nil where there is none.
  package func value(_ path: ObjectPath, _ interface: InterfaceName, _ property: MemberName) -> DBusValue? {
    guard let interface = objects[path]?.interface(interface), let index = interface.index(of: property.rawValue)
    else { return nil }
    return interface.values[index]
  }

  /// What Properties.Get gives, before it is put into a variant. Without an interface the first one that has the
  /// property counts.
  package func get(
    _ path: ObjectPath, _ interface: InterfaceName?, _ property: MemberName
  ) throws(DBusErrorReply) -> DBusValue {
    let found = try find(path, interface, property)
    guard found.property.access.isReadable, let value = found.value else {
      throw DBusErrorReply(name: .invalidArgs, message: "The property \(property) of \(path) cannot be read.")
    }
    return value
  }

  /// What Properties.GetAll gives, `a{sv}`: the properties that have a value and can be read, of one interface or all.
  package func getAll(_ path: ObjectPath, _ interface: InterfaceName?) throws(DBusErrorReply) -> DBusValue {
    .properties(
      try interfaces(path, interface).flatMap(\.readable).map { ($0.property.name.rawValue, $0.value) })
  }

  /// Whether Properties.Set may be carried out; the tree stays as it is.
  package func set(
    _ path: ObjectPath, _ interface: InterfaceName?, _ property: MemberName, to value: DBusValue
  ) throws(DBusErrorReply) -> PropertyChange {
    let found = try find(path, interface, property)
    guard found.property.access.isWritable else {
      throw DBusErrorReply(name: .propertyReadOnly, message: "The property \(property) of \(path) cannot be written.")
    }
    guard value.isOf(found.property.type) else {
      throw DBusErrorReply(
        name: .invalidArgs,
        message: "The property \(property) of \(path) is of type '\(found.property.type)', not '\(value.type)'.")
    }
    return PropertyChange(path: path, interface: found.interface, property: property, value: value)
  }

  private func find(
    _ path: ObjectPath, _ interface: InterfaceName?, _ property: MemberName
  ) throws(DBusErrorReply) -> (interface: InterfaceName, property: PropertyDescription, value: DBusValue?) {
    for candidate in try interfaces(path, interface) {
      guard let index = candidate.index(of: property.rawValue) else { continue }
      let description = candidate.description.properties[index]
      guard candidate.values[index] != nil || description.access == .write else { continue }
      return (candidate.name, description, candidate.values[index])
    }
    throw .unknownProperty(path, interface?.rawValue, property.rawValue)
  }

  /// One interface, or all for nil; the implied ones are there, without properties.
  private func interfaces(
    _ path: ObjectPath, _ name: InterfaceName?
  ) throws(DBusErrorReply) -> [ExportedInterface] {
    guard let object = objects[path] else { throw .unknownObject(path) }
    guard let name else { return object.interfaces }
    if let interface = object.interface(name) { return [interface] }
    guard InterfaceDescription.implied.contains(where: { $0.name == name }) else {
      throw .unknownInterface(path, name.rawValue)
    }
    return []
  }
}
