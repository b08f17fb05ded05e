import BleperaBlueZProtocol
package import BleperaBluetooth
package import BleperaDBus

extension ATTError {
  /// The ATT error that a central receives for an application's error reply (`dbus_error_to_att_ecode`, measured).
  package init(answer: DBusErrorReply, isRead: Bool, _ behavior: DaemonBehavior) {
    switch answer.bluez {
    case .failed: self = behavior.has(.ignoresErrorCodes) ? ATTError(rawValue: 0x80) : Self.code(in: answer.message)
    case .notSupported: self = .requestNotSupported
    case .notAuthorized: self = .insufficientAuthorization
    case .invalidValueLength: self = .invalidAttributeValueLength
    case .invalidOffset: self = .invalidOffset
    case .inProgress: self = .procedureAlreadyInProgress
    case .notPermitted: self = isRead ? .readNotPermitted : .writeNotPermitted
    case .improperlyConfigured where !behavior.has(.ignoresImproperlyConfigured):
      self = .cccdImproperlyConfigured
    default: self = .unlikelyError
    }
  }

  /// The ATT error for a failed call, which may have no reply.
  init(_ failure: DBusFailure, isRead: Bool, _ behavior: DaemonBehavior) {
    guard case .remote(let answer) = failure else {
      self = .unlikelyError
      return
    }
    self = ATTError(answer: answer, isRead: isRead, behavior)
  }

  /// Reads the code from a message that is a number in C's notations, within the application range.
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
