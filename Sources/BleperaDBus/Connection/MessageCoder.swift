import CBleperaDBus

/// Converts messages to and from libdbus's form.
@safe enum MessageCoder {
  /// Encodes a message for libdbus; the caller releases the message. Values on which libdbus would assert are refused.
  static func encode(_ message: Message, canSendFileDescriptors: Bool) throws(DBusFailure) -> OpaquePointer {
    do {
      try MessageLimits.check(message)
    } catch { throw .refused(error) }
    guard canSendFileDescriptors || !message.body.contains(where: \.holdsFileDescriptor) else {
      throw .remote(
        DBusErrorReply(name: .notSupported, message: "this connection cannot carry file descriptors"))
    }
    guard let pointer = unsafe dbus_message_new(kind(of: message)) else { throw .disconnected }
    do {
      unsafe try setHeader(of: pointer, from: message)
      unsafe try MessageWriter.append(message.body, to: pointer)
    } catch {
      unsafe dbus_message_unref(pointer)
      throw .disconnected
    }
    return unsafe pointer
  }

  private static func kind(of message: Message) -> CInt {
    switch message {
    case .methodCall: DBUS_MESSAGE_TYPE_METHOD_CALL
    case .methodReturn: DBUS_MESSAGE_TYPE_METHOD_RETURN
    case .error: DBUS_MESSAGE_TYPE_ERROR
    case .signal: DBUS_MESSAGE_TYPE_SIGNAL
    }
  }

  private static func setHeader(
    of pointer: OpaquePointer, from message: Message
  ) throws(MessageWriter.OutOfMemory) {
    var steps = [message.destination.map { unsafe dbus_message_set_destination(pointer, $0.rawValue) }]
    switch message {
    case .methodCall(let call):
      unsafe steps += [
        dbus_message_set_path(pointer, call.path.rawValue),
        call.interface.map { unsafe dbus_message_set_interface(pointer, $0.rawValue) },
        unsafe dbus_message_set_member(pointer, call.member.rawValue),
      ]
      unsafe dbus_message_set_no_reply(pointer, call.expectsReply ? 0 : 1)
      // Our calls must not activate a service: a daemon that is not running is a fact to report.
      unsafe dbus_message_set_auto_start(pointer, 0)
    case .methodReturn(let reply):
      unsafe steps.append(dbus_message_set_reply_serial(pointer, reply.replySerial))
      unsafe dbus_message_set_no_reply(pointer, 1)
    case .error(let error):
      unsafe steps += [
        dbus_message_set_reply_serial(pointer, error.replySerial),
        dbus_message_set_error_name(pointer, error.reply.name.rawValue),
      ]
      unsafe dbus_message_set_no_reply(pointer, 1)
    case .signal(let signal):
      unsafe steps += [
        dbus_message_set_path(pointer, signal.path.rawValue),
        dbus_message_set_interface(pointer, signal.interface.rawValue),
        dbus_message_set_member(pointer, signal.member.rawValue),
      ]
      unsafe dbus_message_set_no_reply(pointer, 1)
    }
    guard steps.allSatisfy({ $0 != 0 }) else { throw MessageWriter.OutOfMemory() }
  }

  static func decode(_ pointer: OpaquePointer) throws(MessageReader.Malformed) -> IncomingMessage {
    let arguments = unsafe try MessageReader.values(of: pointer)
    // libdbus has checked the names of the header when the message arrived (`_dbus_header_load`).
    let sender = unsafe text(dbus_message_get_sender(pointer)).map { BusName(accepted: $0) }
    let destination = unsafe text(dbus_message_get_destination(pointer)).map { BusName(accepted: $0) }
    let path = unsafe text(dbus_message_get_path(pointer)).map { ObjectPath(accepted: $0) }
    let interface = unsafe text(dbus_message_get_interface(pointer)).map { InterfaceName(accepted: $0) }
    let member = unsafe text(dbus_message_get_member(pointer)).map { MemberName(accepted: $0) }
    let replySerial = unsafe dbus_message_get_reply_serial(pointer)
    let message: Message
    switch unsafe dbus_message_get_type(pointer) {
    case DBUS_MESSAGE_TYPE_METHOD_CALL:
      guard let path, let member else { throw MessageReader.Malformed(cause: "a call without path or member") }
      message = unsafe .methodCall(
        MethodCall(
          destination: destination, path: path, interface: interface, member: member, arguments: arguments,
          expectsReply: dbus_message_get_no_reply(pointer) == 0))
    case DBUS_MESSAGE_TYPE_METHOD_RETURN:
      message = .methodReturn(MethodReturn(destination: destination, replySerial: replySerial, arguments: arguments))
    case DBUS_MESSAGE_TYPE_ERROR:
      guard let name = unsafe text(dbus_message_get_error_name(pointer)).flatMap({ ErrorName($0) }) else {
        throw MessageReader.Malformed(cause: "an error without a name")
      }
      let reply = DBusErrorReply(name: name, message: arguments.first?.text ?? "")
      message = .error(ErrorMessage(destination: destination, replySerial: replySerial, reply: reply))
    case DBUS_MESSAGE_TYPE_SIGNAL:
      guard let path, let interface, let member else {
        throw MessageReader.Malformed(cause: "a signal without path, interface or member")
      }
      message = .signal(
        Signal(destination: destination, path: path, interface: interface, member: member, arguments: arguments))
    case let type: throw MessageReader.Malformed(cause: "message type \(type)")
    }
    return unsafe IncomingMessage(sender: sender, serial: dbus_message_get_serial(pointer), message: message)
  }

  /// The recipient of the error for a message that could not be decoded.
  enum Correspondence {
    /// A method call, whose sender receives the error.
    case call(serial: UInt32, sender: BusName)
    /// A reply to our call with that serial.
    case answer(to: UInt32)
    case nobody
  }

  static func correspondence(of pointer: OpaquePointer) -> Correspondence {
    switch unsafe dbus_message_get_type(pointer) {
    case DBUS_MESSAGE_TYPE_METHOD_RETURN, DBUS_MESSAGE_TYPE_ERROR:
      unsafe .answer(to: dbus_message_get_reply_serial(pointer))
    case DBUS_MESSAGE_TYPE_METHOD_CALL:
      if unsafe dbus_message_get_no_reply(pointer) == 0,
        let sender = unsafe text(dbus_message_get_sender(pointer)).flatMap({ BusName($0) })
      {
        unsafe .call(serial: dbus_message_get_serial(pointer), sender: sender)
      } else {
        .nobody
      }
    default: .nobody
    }
  }

  private static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
    unsafe pointer.map { unsafe String(cString: $0) }
  }
}

extension DBusValue {
  /// Whether the value contains a file descriptor, at any depth.
  fileprivate var holdsFileDescriptor: Bool {
    switch self {
    case .unixFD: true
    case .array(let array): array.elements.contains(where: \.holdsFileDescriptor)
    case .dictionary(let dictionary):
      dictionary.entries.contains { $0.key.holdsFileDescriptor || $0.value.holdsFileDescriptor }
    case .structure(let fields): fields.contains(where: \.holdsFileDescriptor)
    case .variant(let value): value.holdsFileDescriptor
    default: false
    }
  }
}
