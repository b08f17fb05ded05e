import BleperaAir
import BleperaBlueZProtocol
package import BleperaDBus
package import BleperaBluetooth

extension ATTError {
  /// What a central hears of an application's answer to a read or a write (`dbus_error_to_att_ecode`, measured).
  package init(answer: DBusErrorReply, isRead: Bool, _ behavior: DaemonBehavior) {
    switch answer.bluez {
    case .failed: self = Self.code(in: answer.message)
    case .notSupported: self = .requestNotSupported
    case .notAuthorized: self = .insufficientAuthorization
    case .invalidValueLength: self = .invalidAttributeValueLength
    case .invalidOffset: self = .invalidOffset
    case .inProgress: self = .procedureAlreadyInProgress
    case .notPermitted: self = isRead ? .readNotPermitted : .writeNotPermitted
    case .improperlyConfigured where behavior.knowsImproperlyConfigured:
      self = .cccdImproperlyConfigured
    default: self = .unlikelyError
    }
  }

  /// The same of a call that may have failed without an answer.
  init(_ failure: DBusFailure, isRead: Bool, _ behavior: DaemonBehavior) {
    guard case .remote(let answer) = failure else {
      self = .unlikelyError
      return
    }
    self = ATTError(answer: answer, isRead: isRead, behavior)
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
