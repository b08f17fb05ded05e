/// One object of the tree.
struct ExportedObject: Sendable {
  let path: ObjectPath
  /// Grows with every object added to the tree.
  let place: Int
  /// In the order they were added.
  var interfaces: [ExportedInterface] = []

  func interface(_ name: InterfaceName) -> ExportedInterface? { interfaces.first { $0.name == name } }

  /// What an object manager tells of: all but the interfaces of the specification itself.
  var managed: [ExportedInterface] { interfaces.filter { $0.name != .objectManager } }

  var isManager: Bool { interfaces.contains { $0.name == .objectManager } }
}

extension [ExportedInterface] {
  /// `a{sa{sv}}`.
  var interfacesAndProperties: DBusValue {
    .dictionary(
      DBusDictionary(
        checkedEntries: map { (.string($0.name.rawValue), $0.properties) }, key: .string, value: .properties))
  }
}
