/// A D-Bus message of one of the four types (D-Bus specification, "Message Types").
package enum Message: Hashable, Sendable {
  case methodCall(MethodCall)
  case methodReturn(MethodReturn)
  case error(ErrorMessage)
  case signal(Signal)

  package var destination: BusName? {
    switch self {
    case .methodCall(let call): call.destination
    case .methodReturn(let reply): reply.destination
    case .error(let error): error.destination
    case .signal(let signal): signal.destination
    }
  }

  /// The serial of the call that this message replies to; nil for calls and signals.
  package var replySerial: UInt32? {
    switch self {
    case .methodReturn(let reply): reply.replySerial
    case .error(let error): error.replySerial
    case .methodCall, .signal: nil
    }
  }

  package var body: [DBusValue] {
    switch self {
    case .methodCall(let call): call.arguments
    case .methodReturn(let reply): reply.arguments
    case .error(let error): [.string(error.reply.message)]
    case .signal(let signal): signal.arguments
    }
  }

  /// The path or interface reserved for libdbus-1; buses disconnect its sender (D-Bus specification, "Message Format").
  var reservedName: String? {
    let (path, interface): (ObjectPath?, InterfaceName?) =
      switch self {
      case .methodCall(let call): (call.path, call.interface)
      case .signal(let signal): (signal.path, signal.interface)
      case .methodReturn, .error: (nil, nil)
      }
    if path == .local { return path?.rawValue }
    return interface == .local ? interface?.rawValue : nil
  }

  /// The header's length in bytes, padded to 8: an upper bound that assumes the longest sender and signature and the
  /// maximum padding of every field.
  package var headerLength: Int {
    func length(_ text: String?) -> Int { Self.fieldLength(text?.utf8.count ?? 0) }
    let names =
      switch self {
      case .methodCall(let call):
        length(call.path.rawValue) + length(call.interface?.rawValue) + length(call.member.rawValue)
      case .methodReturn: 0
      case .error(let error): length(error.reply.name.rawValue)
      case .signal(let signal):
        length(signal.path.rawValue) + length(signal.interface.rawValue) + length(signal.member.rawValue)
      }
    let fixed = 16
    let numbers = 2 * 8
    let longest = 2 * Self.fieldLength(255)
    return fixed + numbers + longest + names + length(destination?.rawValue)
  }

  /// The length of a text header field: code, signature, length, text, zero byte, padding to 8.
  private static func fieldLength(_ text: Int) -> Int { (4 + 4 + text + 1 + 7) & ~7 }
}

/// A received message with the sender that the bus has set.
package struct IncomingMessage: Hashable, Sendable {
  /// The unique name of the connection that sent it, or `org.freedesktop.DBus`; nil without a bus.
  package var sender: BusName?
  /// Never 0; unique among the sender's messages until the serial wraps.
  package var serial: UInt32
  package var message: Message
}

/// A method call; without an interface, the object chooses an interface that has the method (D-Bus specification,
/// "Method Calls").
package struct MethodCall: Hashable, Sendable {
  /// Nil only on a connection without a bus.
  package var destination: BusName?
  package var path: ObjectPath
  package var interface: InterfaceName?
  package var member: MemberName
  package var arguments: [DBusValue]
  /// False if the caller set NO_REPLY_EXPECTED.
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

/// The reply to a method call that succeeded.
package struct MethodReturn: Hashable, Sendable {
  package var destination: BusName?
  /// The serial of the call, never 0.
  package var replySerial: UInt32
  package var arguments: [DBusValue] = []
}

/// The reply to a method call that failed.
package struct ErrorMessage: Hashable, Sendable {
  package var destination: BusName?
  /// The serial of the call, never 0.
  package var replySerial: UInt32
  package var reply: DBusErrorReply
}

/// The error reply to a method call: its name is for programs, its message for people.
package struct DBusErrorReply: Error, Hashable, Sendable {
  package var name: ErrorName
  /// Empty if the error has no string as its first argument.
  package var message: String

  package init(name: ErrorName, message: String) {
    self.name = name
    self.message = message
  }
}

extension DBusErrorReply: CustomStringConvertible {
  package var description: String { message.isEmpty ? name.rawValue : "\(name): \(message)" }
}

/// A D-Bus signal, to every connection with a matching rule or to one (D-Bus specification, "Signal Emission").
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
