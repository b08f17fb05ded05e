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
