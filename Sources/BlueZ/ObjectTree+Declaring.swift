import DBus

extension ObjectTree {
  /// Adds one of our own interfaces; a fault there is ours.
  mutating func declare(
    _ path: ObjectPath, _ interface: InterfaceDescription, _ properties: [(String, DBusValue)] = []
  ) {
    do {
      try add(path, interface: interface, properties: properties)
    } catch {
      preconditionFailure("\(error)")
    }
  }
}
