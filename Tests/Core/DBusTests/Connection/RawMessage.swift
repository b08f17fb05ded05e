/// A message as bytes, sound or not (D-Bus specification, "Message Format").
struct RawMessage: Sendable {
  struct Field: Sendable {
    let code: UInt8
    let signature: String
    let value: [UInt8]
  }

  enum Kind: UInt8 {
    case methodCall = 1
    case methodReturn = 2
    case error = 3
    case signal = 4
  }

  var endianness = UInt8(ascii: "l")
  var isBigEndian = false
  var type: UInt8
  var flags: UInt8 = 0
  var version: UInt8 = 1
  var serial: UInt32 = 7
  /// The length of the body in the header; nil for the true length.
  var bodyLength: UInt32?
  var fieldsLength: UInt32?
  var padding: UInt8 = 0
  var fields: [Field]
  var body: [UInt8]

  init(_ kind: Kind, _ fields: [Field], body: [UInt8] = []) {
    type = kind.rawValue
    self.fields = fields
    self.body = body
  }

  var bytes: [UInt8] {
    var fieldBytes: [UInt8] = []
    for field in fields {
      fieldBytes = Self.padded(fieldBytes, with: padding)
      fieldBytes += [field.code, UInt8(field.signature.utf8.count)] + Array(field.signature.utf8) + [0] + field.value
    }
    let start =
      [endianness, type, flags, version] + number(bodyLength ?? UInt32(body.count)) + number(serial)
      + number(fieldsLength ?? UInt32(fieldBytes.count))
    return Self.padded(start + fieldBytes, with: padding) + body
  }

  private func number(_ value: UInt32) -> [UInt8] { isBigEndian ? Self.number(value).reversed() : Self.number(value) }

  private static func padded(_ bytes: [UInt8], with byte: UInt8) -> [UInt8] {
    bytes + [UInt8](repeating: byte, count: (8 - bytes.count % 8) % 8)
  }

  // MARK: Values, least significant byte first

  static func number(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }

  static func string(_ text: String) -> [UInt8] { number(UInt32(text.utf8.count)) + Array(text.utf8) + [0] }

  static func path(_ text: String) -> Field { Field(code: 1, signature: "o", value: string(text)) }
  static func interface(_ text: String) -> Field { Field(code: 2, signature: "s", value: string(text)) }
  static func member(_ text: String) -> Field { Field(code: 3, signature: "s", value: string(text)) }
  static func errorName(_ text: String) -> Field { Field(code: 4, signature: "s", value: string(text)) }
  static func replySerial(_ serial: UInt32) -> Field { Field(code: 5, signature: "u", value: number(serial)) }
  static func sender(_ text: String) -> Field { Field(code: 7, signature: "s", value: string(text)) }
  static func signature(_ text: String) -> Field {
    Field(code: 8, signature: "g", value: [UInt8(text.utf8.count)] + Array(text.utf8) + [0])
  }
  static func descriptors(_ count: UInt32) -> Field { Field(code: 9, signature: "u", value: number(count)) }

  // MARK: Messages

  static func helloReply(to serial: UInt32) -> RawMessage {
    RawMessage(
      .methodReturn, [replySerial(serial), sender("org.freedesktop.DBus"), signature("s")], body: string(":1.1"))
  }

  static func signal(_ types: String, _ body: [UInt8], member name: String = "Changed") -> RawMessage {
    let fields = [path("/test"), interface("org.blepera.Test"), member(name), sender(":1.9")]
    return RawMessage(.signal, fields + (types.isEmpty ? [] : [signature(types)]), body: body)
  }
}
