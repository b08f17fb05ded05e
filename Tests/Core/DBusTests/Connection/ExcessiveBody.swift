import BleperaDBus
import BusTesting
import Testing

/// A body that is beyond one limit of a message.
struct ExcessiveBody: Sendable, CustomTestStringConvertible {
  let code: MessageRefusal.Code
  let make: @Sendable () throws -> [DBusValue]

  var testDescription: String { code.rawValue }

  static let all: [ExcessiveBody] = [
    ExcessiveBody(code: .messageTooLong) {
      let half = DBusValue.bytes([UInt8](repeating: 0, count: MessageLimits.arrayLength))
      return [half, half]
    },
    ExcessiveBody(code: .arrayTooLong) {
      [.bytes([UInt8](repeating: 0, count: MessageLimits.arrayLength + 1))]
    },
    ExcessiveBody(code: .nestedTooDeeply) { [(0..<65).reduce(.byte(0)) { value, _ in .variant(value) }] },
    ExcessiveBody(code: .signatureTooLong) { [DBusValue](repeating: .byte(0), count: 256) },
    ExcessiveBody(code: .emptyStructure) { [.structure([])] },
    ExcessiveBody(code: .keyNotBasic) { [try .array(of: .dictionary(key: .variant, value: .byte), [])] },
    ExcessiveBody(code: .tooManyFileDescriptors) {
      let writer = DBusValue.unixFD(try Pipe().takeWriter())
      return [DBusValue](repeating: writer, count: MessageLimits.fileDescriptors + 1)
    },
    ExcessiveBody(code: .invalidFileDescriptor) { [.unixFD(UnixFileDescriptor(owning: -1))] },
  ]
}
