/// The answer to a method call that failed.
package struct ErrorMessage: Hashable, Sendable {
  package var destination: BusName?
  /// The serial of the call, never 0.
  package var replySerial: UInt32
  package var reply: DBusErrorReply

  package init(destination: BusName?, replySerial: UInt32, reply: DBusErrorReply) {
    self.destination = destination
    self.replySerial = replySerial
    self.reply = reply
  }
}
