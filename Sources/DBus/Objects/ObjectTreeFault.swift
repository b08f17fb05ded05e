/// The tree was asked for something that it has no place for.
package struct ObjectTreeFault: Error, Hashable, Sendable {
  package enum Code: String, Sendable {
    case unknownObject, unknownInterface, unknownProperty, typeMismatch, interfaceExists
  }

  package let code: Code
  package let path: ObjectPath
  /// What is wrong at the path, as a clause.
  package let cause: String

  static func unknownObject(_ path: ObjectPath) -> ObjectTreeFault {
    .init(code: .unknownObject, path: path, cause: "no object is there")
  }

  static func unknownInterface(_ path: ObjectPath, _ interface: InterfaceName) -> ObjectTreeFault {
    .init(code: .unknownInterface, path: path, cause: "it has no interface \(interface)")
  }

  static func unknownProperty(_ path: ObjectPath, _ interface: InterfaceName, _ name: String) -> ObjectTreeFault {
    .init(code: .unknownProperty, path: path, cause: "\(interface) declares no property \(name)")
  }

  static func typeMismatch(
    _ path: ObjectPath, _ property: PropertyDescription, _ value: DBusValue
  ) -> ObjectTreeFault {
    .init(
      code: .typeMismatch, path: path,
      cause: "property \(property.name) is of type \(property.type), not \(value.type)")
  }

  static func interfaceExists(_ path: ObjectPath, _ interface: InterfaceName) -> ObjectTreeFault {
    .init(code: .interfaceExists, path: path, cause: "it has the interface \(interface) already")
  }
}

extension ObjectTreeFault: CustomStringConvertible {
  package var description: String { "The object \(path) was not changed: \(cause)." }
}
