/// What one message may hold (D-Bus specification, "Message Format" and "Valid Signatures").
package enum MessageLimits {
  /// 128 MiB, header and body.
  package static let messageLength = 1 << 27
  /// 64 MiB: the elements of one array, without its length and the padding before the first.
  package static let arrayLength = 1 << 26
  /// Arrays, structures, dictionary entries and variants in one another, as libdbus-1 counts them.
  package static let nesting = 64
  /// What libdbus-1 and dbus-daemon take by default (`max_message_unix_fds`); the specification's own limit is 2^25,
  /// but a connection that sends more than the daemon takes is closed.
  package static let fileDescriptors = 16

  /// The length of the body in bytes, once nothing in the message is beyond a limit. Linear in the message.
  @discardableResult
  package static func check(_ message: Message) throws(MessageRefusal) -> Int {
    if let name = message.reservedName { throw .reservedName(name) }
    if message.replySerial == 0 { throw .noReplySerial }
    let headerLength = message.headerLength
    guard headerLength <= arrayLength else { throw .arrayTooLong(headerLength) }
    return try check(body: message.body, headerLength: headerLength)
  }

  /// The same for a body behind a header of `headerLength` bytes with its padding; 1,024 hold every header whose
  /// path is not longer than 255 bytes and whose signature is not longer than 100.
  @discardableResult
  package static func check(body: [DBusValue], headerLength: Int = 1024) throws(MessageRefusal) -> Int {
    var signature = SignatureMeter()
    var meter = BodyMeter(headerLength: headerLength)
    for value in body { try signature.add(value) }
    for value in body { try meter.add(value) }
    return meter.length
  }
}
