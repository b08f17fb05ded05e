/// A message as it came, with what the bus wrote on it.
package struct IncomingMessage: Hashable, Sendable {
  /// The unique name of the connection that sent it, or `org.freedesktop.DBus`; nil without a bus.
  package var sender: BusName?
  /// Never 0; unique among the sender's messages until it wraps.
  package var serial: UInt32
  package var message: Message

  package init(sender: BusName?, serial: UInt32, message: Message) {
    self.sender = sender
    self.serial = serial
    self.message = message
  }

  package var replySerial: UInt32? { message.replySerial }
}
