/// The answer to a method call that succeeded.
package struct MethodReturn: Hashable, Sendable {
  package var destination: BusName?
  /// The serial of the call, never 0.
  package var replySerial: UInt32
  package var arguments: [DBusValue]

  package init(destination: BusName?, replySerial: UInt32, arguments: [DBusValue] = []) {
    self.destination = destination
    self.replySerial = replySerial
    self.arguments = arguments
  }
}
