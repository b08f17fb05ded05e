extension ObjectTree {
  /// The answer to a call of a standard interface, or the error for one of an object, interface or method that is not
  /// there or with arguments of other types. Nil for a method that an object of ours declares: its owner answers.
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

  /// The method that is called, with its interface where the call names none: then the object's own come before the
  /// standard ones. Ping is answered wherever it is sent (D-Bus specification, "org.freedesktop.DBus.Peer").
  package func method(
    for call: MethodCall
  ) throws(DBusErrorReply) -> (interface: InterfaceName, method: MethodDescription) {
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

  /// The types of the arguments have been checked.
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
