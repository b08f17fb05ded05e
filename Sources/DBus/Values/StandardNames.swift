extension InterfaceName {
  /// The bus itself: Hello, AddMatch, RequestName, NameOwnerChanged.
  package static let bus: InterfaceName = "org.freedesktop.DBus"
  package static let properties: InterfaceName = "org.freedesktop.DBus.Properties"
  package static let introspectable: InterfaceName = "org.freedesktop.DBus.Introspectable"
  package static let peer: InterfaceName = "org.freedesktop.DBus.Peer"
  package static let objectManager: InterfaceName = "org.freedesktop.DBus.ObjectManager"
  /// libdbus-1's own, for Disconnected; never on a bus.
  package static let local: InterfaceName = "org.freedesktop.DBus.Local"
}

extension BusName {
  /// The bus itself, as destination and as sender.
  package static let bus: BusName = "org.freedesktop.DBus"
}

extension ObjectPath {
  /// Where the bus itself takes calls.
  package static let bus: ObjectPath = "/org/freedesktop/DBus"
  /// libdbus-1's own, for Disconnected; never on a bus.
  package static let local: ObjectPath = "/org/freedesktop/DBus/Local"
}
