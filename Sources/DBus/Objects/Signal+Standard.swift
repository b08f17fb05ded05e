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
