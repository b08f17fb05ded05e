/// Why a message is not given to libdbus-1, which aborts the process or is disconnected over such a one.
package struct MessageRefusal: Error, Hashable, Sendable {
  package enum Code: String, Sendable {
    case messageTooLong, arrayTooLong, nestedTooDeeply, signatureTooLong, emptyStructure, keyNotBasic, stringWithNUL,
      tooManyFileDescriptors, invalidFileDescriptor, reservedName, noReplySerial
  }

  package let code: Code
  /// What was met, as in `65 containers`.
  package let cause: String
  private let limit: String

  static func messageTooLong(_ bytes: Int) -> MessageRefusal {
    .init(
      code: .messageTooLong, cause: "\(bytes) bytes or more",
      limit: "a D-Bus message has at most \(MessageLimits.messageLength) bytes")
  }

  static func arrayTooLong(_ bytes: Int) -> MessageRefusal {
    .init(
      code: .arrayTooLong, cause: "\(bytes) bytes or more in one array",
      limit: "a D-Bus array has at most \(MessageLimits.arrayLength) bytes")
  }

  static func nestedTooDeeply(_ cause: String) -> MessageRefusal {
    .init(
      code: .nestedTooDeeply, cause: cause + " in one another",
      limit: "D-Bus allows 32 arrays, 32 structures and 64 containers with variants in one another")
  }

  static let signatureTooLong = MessageRefusal(
    code: .signatureTooLong, cause: "a signature of more than \(Signature.maximumLength) bytes",
    limit: "a D-Bus signature has at most \(Signature.maximumLength) bytes")

  static let emptyStructure = MessageRefusal(
    code: .emptyStructure, cause: "a structure without fields", limit: "a D-Bus structure has at least one field")

  static let keyNotBasic = MessageRefusal(
    code: .keyNotBasic, cause: "a dictionary whose keys are containers",
    limit: "a D-Bus dictionary has keys of a basic type")

  static let stringWithNUL = MessageRefusal(
    code: .stringWithNUL, cause: "a string with a zero byte in it", limit: "a D-Bus string has no zero byte")

  static let noReplySerial = MessageRefusal(
    code: .noReplySerial, cause: "0 as its reply serial", limit: "an answer names the serial of a call")

  static func tooManyFileDescriptors(_ count: Int) -> MessageRefusal {
    .init(
      code: .tooManyFileDescriptors, cause: "\(count) file descriptors",
      limit: "a D-Bus message carries at most \(MessageLimits.fileDescriptors) of them by default")
  }

  static func invalidFileDescriptor(_ value: CInt) -> MessageRefusal {
    .init(
      code: .invalidFileDescriptor, cause: "\(value) as a file descriptor",
      limit: "a file descriptor is not negative")
  }

  static func reservedName(_ name: String) -> MessageRefusal {
    .init(code: .reservedName, cause: name, limit: "no D-Bus message may carry that name")
  }
}

extension MessageRefusal: CustomStringConvertible {
  package var description: String { "The message was not sent because it has \(cause), and \(limit)." }
}
