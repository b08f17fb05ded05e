/// A D-Bus message, each kind with just what it has (D-Bus specification, "Message Types").
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

  /// The serial of the call that it answers; nil for calls and signals.
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

  /// What libdbus-1 keeps for itself, and buses disconnect the sender for (D-Bus specification, "Message Format").
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

  /// Bytes before the body, padded to 8: an upper bound, with the longest sender and signature and every field at its
  /// greatest padding.
  package var headerLength: Int {
    let names: [String?] =
      switch self {
      case .methodCall(let call): [call.path.rawValue, call.interface?.rawValue, call.member.rawValue]
      case .methodReturn: []
      case .error(let error): [error.reply.name.rawValue]
      case .signal(let signal): [signal.path.rawValue, signal.interface.rawValue, signal.member.rawValue]
      }
    let fixed = 16
    let numbers = 2 * 8
    let longest = 2 * Self.fieldLength(255)
    let texts = (names + [destination?.rawValue]).reduce(0) { $0 + Self.fieldLength($1?.utf8.count ?? 0) }
    return fixed + numbers + longest + texts
  }

  /// A header field of text: code, signature, length, text, zero byte, padding to 8.
  private static func fieldLength(_ text: Int) -> Int { (4 + 4 + text + 1 + 7) & ~7 }
}
