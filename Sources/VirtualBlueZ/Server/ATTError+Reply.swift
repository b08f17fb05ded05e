package import DBus
package import GATT

extension ATTError {
  /// What a central hears of an application's answer to a read or a write (`dbus_error_to_att_ecode`, measured).
  package init(answer: DBusErrorReply, isRead: Bool, _ behavior: DaemonBehavior) {
    switch answer.name.rawValue {
    case "org.bluez.Error.Failed": self = Self.code(in: answer.message)
    case "org.bluez.Error.NotSupported": self = .requestNotSupported
    case "org.bluez.Error.NotAuthorized": self = .insufficientAuthorization
    case "org.bluez.Error.InvalidValueLength": self = .invalidAttributeValueLength
    case "org.bluez.Error.InvalidOffset": self = .invalidOffset
    case "org.bluez.Error.InProgress": self = .procedureAlreadyInProgress
    case "org.bluez.Error.NotPermitted": self = isRead ? .readNotPermitted : .writeNotPermitted
    case "org.bluez.Error.ImproperlyConfigured" where behavior.knowsImproperlyConfigured:
      self = .cccdImproperlyConfigured
    default: self = .unlikelyError
    }
  }

  /// A message that is a number, of C's three notations, is the code, where an application may choose it.
  private static func code(in message: String) -> ATTError {
    let value: Int?
    if message.hasPrefix("0x") || message.hasPrefix("0X") {
      value = Int(message.dropFirst(2), radix: 16)
    } else if message.hasPrefix("0"), message.count > 1 {
      value = Int(message.dropFirst(), radix: 8)
    } else {
      value = Int(message)
    }
    guard let value else { return ATTError(rawValue: 0x80) }
    guard let code = UInt8(exactly: value), ATTError.applicationRange.contains(code) else { return .unlikelyError }
    return ATTError(rawValue: code)
  }
}
