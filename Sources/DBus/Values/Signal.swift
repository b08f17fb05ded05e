/// A D-Bus signal, to everyone with a matching rule or to one connection (D-Bus specification, "Signal Emission").
package struct Signal: Hashable, Sendable {
  /// Nil for a broadcast.
  package var destination: BusName?
  package var path: ObjectPath
  package var interface: InterfaceName
  package var member: MemberName
  package var arguments: [DBusValue]

  package init(
    destination: BusName? = nil, path: ObjectPath, interface: InterfaceName, member: MemberName,
    arguments: [DBusValue] = []
  ) {
    self.destination = destination
    self.path = path
    self.interface = interface
    self.member = member
    self.arguments = arguments
  }
}
