import CBleperaDBus

/// Converts messages to and from libdbus's form.
@safe enum MessageCoder {
  /// Encodes a message for libdbus; the caller releases the message. Values on which libdbus would assert are refused.
  static func encode(
    _ message: Message, canSendFileDescriptors: @autoclosure () -> Bool
  ) throws(DBusFailure) -> OpaquePointer {
    do {
      try MessageLimits.check(message)
    } catch { throw .refused(error) }
    guard !message.body.contains(where: \.holdsFileDescriptor) || canSendFileDescriptors() else {
      throw .remote(
        DBusErrorReply(name: .notSupported, message: "this connection cannot carry file descriptors"))
    }
    guard let pointer = unsafe dbus_message_new(kind(of: message)) else { throw .disconnected }
    do {
      // libdbus writes the signature into the header again with each argument, at the cost of the present fields.
      unsafe try MessageWriter.append(message.body, to: pointer)
      unsafe try setHeader(of: pointer, from: message)
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
    func check(_ isSet: dbus_bool_t?) throws(MessageWriter.OutOfMemory) {
      if isSet == 0 { throw MessageWriter.OutOfMemory() }
    }
    try check(message.destination.map { unsafe dbus_message_set_destination(pointer, $0.rawValue) })
    switch message {
    case .methodCall(let call):
      unsafe try check(dbus_message_set_path(pointer, call.path.rawValue))
      try check(call.interface.map { unsafe dbus_message_set_interface(pointer, $0.rawValue) })
      unsafe try check(dbus_message_set_member(pointer, call.member.rawValue))
      unsafe dbus_message_set_no_reply(pointer, call.expectsReply ? 0 : 1)
      // Our calls must not activate a service: a daemon that is not running is a fact to report.
      unsafe dbus_message_set_auto_start(pointer, 0)
    case .methodReturn(let reply):
      unsafe try check(dbus_message_set_reply_serial(pointer, reply.replySerial))
      unsafe dbus_message_set_no_reply(pointer, 1)
    case .error(let error):
      unsafe try check(dbus_message_set_reply_serial(pointer, error.replySerial))
      unsafe try check(dbus_message_set_error_name(pointer, error.reply.name.rawValue))
      unsafe dbus_message_set_no_reply(pointer, 1)
    case .signal(let signal):
      unsafe try check(dbus_message_set_path(pointer, signal.path.rawValue))
      unsafe try check(dbus_message_set_interface(pointer, signal.interface.rawValue))
      unsafe try check(dbus_message_set_member(pointer, signal.member.rawValue))
      unsafe dbus_message_set_no_reply(pointer, 1)
    }
  }

  static func decode(_ pointer: OpaquePointer) throws(MessageReader.Malformed) -> IncomingMessage {
    var reader = MessageReader(unsafe try bytes(of: pointer), descriptors: unsafe try descriptors(of: pointer))
    let header = try reader.header()
    let arguments = try reader.body(header)
    let (destination, replySerial) = (header.destination, header.replySerial)
    let message: Message
    switch CInt(reader.type) {
    case DBUS_MESSAGE_TYPE_METHOD_CALL:
      guard let path = header.path, let member = header.member else {
        throw MessageReader.Malformed(cause: "a call without path or member")
      }
      message = .methodCall(
        MethodCall(
          destination: destination, path: path, interface: header.interface, member: member, arguments: arguments,
          expectsReply: reader.expectsReply))
    case DBUS_MESSAGE_TYPE_METHOD_RETURN:
      message = .methodReturn(MethodReturn(destination: destination, replySerial: replySerial, arguments: arguments))
    case DBUS_MESSAGE_TYPE_ERROR:
      guard let name = header.errorName else { throw MessageReader.Malformed(cause: "an error without a name") }
      let reply = DBusErrorReply(name: name, message: arguments.first?.text ?? "")
      message = .error(ErrorMessage(destination: destination, replySerial: replySerial, reply: reply))
    case DBUS_MESSAGE_TYPE_SIGNAL:
      guard let path = header.path, let interface = header.interface, let member = header.member else {
        throw MessageReader.Malformed(cause: "a signal without path, interface or member")
      }
      message = .signal(
        Signal(destination: destination, path: path, interface: interface, member: member, arguments: arguments))
    case let type: throw MessageReader.Malformed(cause: "message type \(type)")
    }
    return IncomingMessage(sender: header.sender, serial: reader.serial(), message: message)
  }

  private static func bytes(of pointer: OpaquePointer) throws(MessageReader.Malformed) -> [UInt8] {
    var root = unsafe DBusMessageIter()
    // Brings the message into this machine's byte order.
    unsafe dbus_message_iter_init(pointer, &root)
    var start: UnsafeMutablePointer<CChar>?
    var count: CInt = 0
    guard unsafe dbus_message_marshal(pointer, &start, &count) != 0 else {
      throw MessageReader.Malformed(cause: "no memory")
    }
    defer { unsafe dbus_free(start) }
    return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: Int(count)))
  }

  /// The file descriptors in the body, in order, which only libdbus's iterators return.
  private static func descriptors(
    of pointer: OpaquePointer
  ) throws(MessageReader.Malformed) -> [UnixFileDescriptor] {
    guard unsafe dbus_message_contains_unix_fds(pointer) != 0 else { return [] }
    var found: [UnixFileDescriptor] = []
    func collect(_ iterator: inout DBusMessageIter) throws(MessageReader.Malformed) {
      while true {
        let type = unsafe dbus_message_iter_get_arg_type(&iterator)
        if type == 0 { return }
        if type == CInt(UInt8(ascii: "h")) {
          // libdbus returns a duplicate that we must close.
          var descriptor: CInt = -1
          unsafe dbus_message_iter_get_basic(&iterator, &descriptor)
          guard descriptor >= 0 else { throw MessageReader.Malformed(cause: "a file descriptor that did not arrive") }
          found.append(UnixFileDescriptor(owning: descriptor))
        } else if dbus_type_is_container(type) != 0 {
          var inner = unsafe DBusMessageIter()
          unsafe dbus_message_iter_recurse(&iterator, &inner)
          unsafe try collect(&inner)
        }
        unsafe dbus_message_iter_next(&iterator)
      }
    }
    var root = unsafe DBusMessageIter()
    if unsafe dbus_message_iter_init(pointer, &root) != 0 { unsafe try collect(&root) }
    return found
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
