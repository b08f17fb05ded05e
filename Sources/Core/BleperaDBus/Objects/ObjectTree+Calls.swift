extension ObjectTree {
  /// The reply to a call of a standard interface, or the error for an unknown object, interface or method or for
  /// arguments of the wrong types. Nil for a method that an object declares: the object's owner replies.
  package func respond(to call: MethodCall) -> TreeResponse? {
    do throws(DBusErrorReply) {
      let (interface, method) = try method(for: call)
      switch interface {
      case .peer: return .reply([])
      case .introspectable: return .reply([.string(introspect(call.path))])
      case .objectManager: return .reply([managedObjects(under: call.path)])
      case .properties: return try respondAsProperties(to: method.name, call)
      default: return nil
      }
    } catch {
      return .refuse(error)
    }
  }

  /// The called method and its interface. A call without an interface searches the object's own interfaces before the
  /// standard ones. Ping has a reply at every path (D-Bus specification, "org.freedesktop.DBus.Peer").
  package func method(
    for call: MethodCall
  ) throws(DBusErrorReply) -> (interface: InterfaceName, method: MethodDescription) {
    // bluetoothd names an interface of the object in each call.
    if let name = call.interface, let own = objects[call.path]?.interface(name)?.description,
      let method = own.method(call.member), method.takes(call.arguments)
    {
      return (own.name, method)
    }
    var interfaces: [InterfaceDescription]
    if let object = objects[call.path] {
      interfaces = object.interfaces.map(\.description) + InterfaceDescription.implied
    } else if isNode(call.path) {
      interfaces = InterfaceDescription.impliedOfNodes
    } else if call.interface == .peer {
      interfaces = [.peer]
    } else {
      throw .unknownObject(call.path)
    }
    if let name = call.interface {
      interfaces.removeAll { $0.name != name }
      guard !interfaces.isEmpty else { throw .unknownInterface(call.path, name.rawValue) }
    }
    for interface in interfaces {
      guard let method = interface.method(call.member) else { continue }
      guard method.takes(call.arguments) else { throw .invalidArguments(of: method, call.arguments) }
      return (interface.name, method)
    }
    throw .unknownMethod(call.path, call.interface, call.member)
  }

  /// Requires that the types of the arguments have been checked.
  private func respondAsProperties(
    to method: MemberName, _ call: MethodCall
  ) throws(DBusErrorReply) -> TreeResponse {
    let interface = try interfaceName(call)
    if method == "GetAll" { return .reply([try getAll(call.path, interface)]) }
    let text = call.arguments[1].text ?? ""
    guard let property = MemberName(text) else { throw .unknownProperty(call.path, interface?.rawValue, text) }
    guard method == "Set", case .variant(let value) = call.arguments[2] else {
      return .reply([.variant(try get(call.path, interface, property))])
    }
    return .set(try set(call.path, interface, property, to: value))
  }

  /// The first argument; an empty one stands for any interface.
  private func interfaceName(_ call: MethodCall) throws(DBusErrorReply) -> InterfaceName? {
    guard let text = call.arguments[0].text, !text.isEmpty else { return nil }
    guard let name = InterfaceName(text) else { throw .unknownInterface(call.path, text) }
    return name
  }
}

/// The object tree's response to a method call.
package enum TreeResponse: Hashable, Sendable {
  /// Reply with these arguments.
  case reply([DBusValue])
  case refuse(DBusErrorReply)
  /// Properties.Set, already checked: the owner applies (`ObjectTree.apply`, then an empty reply) or refuses the
  /// change.
  case set(PropertyChange)
}

extension ObjectTree {
  /// The reply of GetManagedObjects: `a{oa{sa{sv}}}` of every object below `root`, without `root`, in the order they
  /// were added, in which bluetoothd builds services. Includes objects below a second manager.
  package func managedObjects(under root: ObjectPath) -> DBusValue {
    let below = sorted.filter { root.isAncestor(of: $0.path) }
    return .dictionary(
      DBusDictionary(
        checkedEntries: below.map { (.objectPath($0.path), $0.managed.interfacesAndProperties) },
        key: .objectPath, value: .interfaces))
  }

  /// A property's value regardless of its access; nil if the property has no value.
  package func value(_ path: ObjectPath, _ interface: InterfaceName, _ property: MemberName) -> DBusValue? {
    guard let interface = objects[path]?.interface(interface), let index = interface.index(of: property.rawValue)
    else { return nil }
    return interface.values[index]
  }

  /// The result of Properties.Get before it is wrapped in a variant. Without an interface, the first interface that has
  /// the property is used.
  package func get(
    _ path: ObjectPath, _ interface: InterfaceName?, _ property: MemberName
  ) throws(DBusErrorReply) -> DBusValue {
    let found = try find(path, interface, property)
    guard found.property.access.isReadable, let value = found.value else {
      throw DBusErrorReply(name: .invalidArgs, message: "The property \(property) of \(path) cannot be read.")
    }
    return value
  }

  /// The result of Properties.GetAll, `a{sv}`: the readable properties that have a value, of one interface or of all.
  package func getAll(_ path: ObjectPath, _ interface: InterfaceName?) throws(DBusErrorReply) -> DBusValue {
    .properties(
      try interfaces(path, interface).flatMap(\.readable).map { ($0.property.name.rawValue, $0.value) })
  }

  /// Checks a Properties.Set without changing the tree; returns the change.
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

  /// The interface of that name, or all interfaces for nil; none for an implied interface, which has no properties.
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

/// The errors of the object tree, with the specification's names.
extension DBusErrorReply {
  package static func unknownObject(_ path: ObjectPath) -> DBusErrorReply {
    DBusErrorReply(name: .unknownObject, message: "There is no object at \(path).")
  }

  package static func unknownInterface(_ path: ObjectPath, _ interface: String) -> DBusErrorReply {
    DBusErrorReply(name: .unknownInterface, message: "The object \(path) has no interface '\(interface)'.")
  }

  package static func unknownMethod(
    _ path: ObjectPath, _ interface: InterfaceName?, _ member: MemberName
  ) -> DBusErrorReply {
    let owner = interface.map { "interface \($0) of \(path)" } ?? "object \(path)"
    return DBusErrorReply(name: .unknownMethod, message: "The \(owner) has no method \(member).")
  }

  package static func unknownProperty(_ path: ObjectPath, _ interface: String?, _ property: String) -> DBusErrorReply {
    let owner = interface.map { "interface \($0) of \(path)" } ?? "object \(path)"
    return DBusErrorReply(name: .unknownProperty, message: "The \(owner) has no property '\(property)'.")
  }

  package static func invalidArguments(of method: MethodDescription, _ arguments: [DBusValue]) -> DBusErrorReply {
    let found = arguments.map(\.type.signature).joined()
    return DBusErrorReply(
      name: .invalidArgs,
      message: "The method \(method.name) takes arguments of types '\(method.inputs.signature)', not '\(found)'.")
  }
}
