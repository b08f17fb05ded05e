/// A method call from another connection, to be answered now or later with `DBusConnection.reply(to:_:)`.
package struct IncomingCall: Sendable {
  /// The unique name of the caller, as the bus vouches for it.
  package let sender: BusName?
  package let serial: UInt32
  package let call: MethodCall
}
