/// A call of a method; without an interface it goes to whichever interface of the object has the method
/// (D-Bus specification, "Method Calls").
package struct MethodCall: Hashable, Sendable {
  /// Nil only on a connection without a bus.
  package var destination: BusName?
  package var path: ObjectPath
  package var interface: InterfaceName?
  package var member: MemberName
  package var arguments: [DBusValue]
  /// False where the caller set NO_REPLY_EXPECTED.
  package var expectsReply: Bool

  package init(
    destination: BusName?, path: ObjectPath, interface: InterfaceName?, member: MemberName,
    arguments: [DBusValue] = [], expectsReply: Bool = true
  ) {
    self.destination = destination
    self.path = path
    self.interface = interface
    self.member = member
    self.arguments = arguments
    self.expectsReply = expectsReply
  }
}
