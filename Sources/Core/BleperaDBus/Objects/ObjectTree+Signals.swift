/// A checked value that a Properties.Set call gives to a property of the same type.
package struct PropertyChange: Hashable, Sendable {
  package let path: ObjectPath
  package let interface: InterfaceName
  package let property: MemberName
  package let value: DBusValue
}

/// The signals of single objects.
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
  /// The signal of a change, or of a notification of an unchanged value.
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
