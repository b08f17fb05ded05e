import Testing

/// Bytes that no bus sends, and what is wrong with them.
struct Malformed: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let bytes: [UInt8]

  init(_ what: String, _ bytes: [UInt8]) {
    testDescription = what
    self.bytes = bytes
  }

  init(_ what: String, _ message: RawMessage) { self.init(what, message.bytes) }

  init(_ what: String, changing change: (inout RawMessage) -> Void) {
    var message = RawMessage.signal("s", RawMessage.string("x"))
    change(&message)
    self.init(what, message.bytes)
  }

  static let all: [Malformed] = [
    Malformed("text", Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)),
    Malformed("zeroes", [UInt8](repeating: 0, count: 64)),
    Malformed("an endianness that is none") { $0.endianness = UInt8(ascii: "x") },
    Malformed("a protocol version that is none") { $0.version = 2 },
    Malformed("type 0") { $0.type = 0 },
    Malformed("serial 0") { $0.serial = 0 },
    Malformed("a body of 128 MiB") { $0.bodyLength = 1 << 27 },
    Malformed("a body of 4 GiB") { $0.bodyLength = .max },
    Malformed("header fields of 128 MiB and one byte") { $0.fieldsLength = 1 << 27 + 1 },
    Malformed("padding that is not zero") { $0.padding = 1 },
    Malformed("a body longer than its signature") { $0.body += [0, 0, 0, 0] },
    Malformed("a body shorter than its signature") { $0.body = [1, 0, 0] },
    Malformed("a body without a signature") { $0.fields.removeLast() },
    Malformed("a string that is not UTF-8", RawMessage.signal("s", RawMessage.number(2) + [0xC3, 0x28, 0])),
    Malformed("a string with a zero byte", RawMessage.signal("s", RawMessage.number(3) + [0x61, 0, 0x61, 0])),
    Malformed("a string without its last zero", RawMessage.signal("s", RawMessage.number(1) + [0x61, 0x61])),
    Malformed("a string longer than the body", RawMessage.signal("s", RawMessage.number(.max) + [0x61, 0])),
    Malformed("a boolean of 2", RawMessage.signal("b", RawMessage.number(2))),
    Malformed("an array of 64 MiB and one byte", RawMessage.signal("ay", RawMessage.number(1 << 26 + 1) + [1])),
    Malformed("an array that ends within an element", RawMessage.signal("ai", RawMessage.number(3) + [1, 2, 3])),
    Malformed("a path that is none", RawMessage.signal("o", RawMessage.string("a"))),
    Malformed("a variant of nothing", RawMessage.signal("v", [0, 0])),
    Malformed("a variant of two types", RawMessage.signal("v", [2] + Array("yy".utf8) + [0, 1, 1])),
    Malformed(
      "65 variants", RawMessage.signal("v", (0..<65).flatMap { _ in [1, UInt8(ascii: "v"), 0] } + [1, 121, 0, 1])),
    Malformed("a type that is none", RawMessage.signal("z", [1])),
    Malformed("a structure that does not end", RawMessage.signal("(s", RawMessage.string("x"))),
    Malformed("a structure of nothing", RawMessage.signal("()", [])),
    Malformed("33 arrays", RawMessage.signal(String(repeating: "a", count: 33) + "y", RawMessage.number(0))),
    Malformed("a dictionary with variants for keys", RawMessage.signal("a{vs}", RawMessage.number(0) + [0, 0, 0, 0])),
    Malformed("a descriptor that did not come") { $0.fields.append(RawMessage.descriptors(1)) },
    Malformed("a header field of another type") {
      $0.fields[0] = RawMessage.Field(code: 1, signature: "s", value: RawMessage.string("/test"))
    },
    Malformed("a header field of type 0") {
      $0.fields.append(RawMessage.Field(code: 0, signature: "s", value: RawMessage.string("x")))
    },
    Malformed("an object path with two slashes") { $0.fields[0] = RawMessage.path("//") },
    Malformed("an interface of one element") { $0.fields[1] = RawMessage.interface("org") },
    Malformed("a member with a period") { $0.fields[2] = RawMessage.member("a.b") },
    Malformed("a sender that is no name") { $0.fields[3] = RawMessage.sender("?") },
    Malformed("a signal without a path") { $0.fields.removeFirst() },
    Malformed("a signal without an interface") { $0.fields.remove(at: 1) },
    Malformed("a call without a member", RawMessage(.methodCall, [RawMessage.path("/")])),
    Malformed("an answer to nothing", RawMessage(.methodReturn, [])),
    Malformed("an answer to serial 0", RawMessage(.methodReturn, [RawMessage.replySerial(0)])),
    Malformed("an error without a name", RawMessage(.error, [RawMessage.replySerial(1)])),
    Malformed("libdbus's own word that the connection is lost") {
      $0.fields[0] = RawMessage.path("/org/freedesktop/DBus/Local")
      $0.fields[1] = RawMessage.interface("org.freedesktop.DBus.Local")
      $0.fields[2] = RawMessage.member("Disconnected")
    },
  ]
}
