import DBus
import EventLoop
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

@Suite("A bus that breaks the protocol", .timeLimit(.minutes(1)))
struct PeerTests {
  @Test("Malformed bytes end the connection, once, and the calls that wait", arguments: Malformed.all)
  func malformed(bytes: Malformed) async throws {
    let server = try PeerServer([.sending(bytes.bytes, closes: false)])
    let outcome = try await Self.outcome(of: server)
    #expect(outcome == [.failure(.disconnected)])
    withExtendedLifetime(server) {}
  }

  @Test("A message that ends too early ends with the connection", arguments: [0, 1, 15, 16, 17, 40, 90])
  func truncated(length: Int) async throws {
    let message = RawMessage.signal("s", RawMessage.string("x")).bytes
    try #require(length < message.count)
    let server = try PeerServer([.sending(Array(message.prefix(length)), closes: true)])
    #expect(try await Self.outcome(of: server) == [.failure(.disconnected)])
  }

  /// What is unusual and sound is not to be taken for malformed.
  private static let sound: [Malformed] = [
    Malformed("a message of a type to come") { $0.type = 5 },
    Malformed("a header field to come") {
      $0.fields.append(RawMessage.Field(code: 200, signature: "s", value: RawMessage.string("x")))
    },
    Malformed("flags to come") { $0.flags = 0xF8 },
    Malformed("an answer to a call that was never made", RawMessage(.methodReturn, [RawMessage.replySerial(999)])),
    Malformed("a descriptor by a number that none has", RawMessage.signal("h", RawMessage.number(5))),
    Malformed(
      "a call with such a descriptor",
      RawMessage(
        .methodCall,
        [RawMessage.path("/"), RawMessage.member("A"), RawMessage.sender(":1.9"), RawMessage.signature("h")],
        body: RawMessage.number(5))),
    Malformed("a call from nobody", RawMessage(.methodCall, [RawMessage.path("/"), RawMessage.member("A")])),
  ]

  @Test("What is unusual and sound leaves the connection as it is", arguments: sound)
  func unusual(bytes: Malformed) async throws {
    let sentinel = RawMessage.signal("s", RawMessage.string("still here"), member: "Sentinel").bytes
    let server = try PeerServer([.sending(bytes.bytes + sentinel, closes: false)])
    #expect(try await Self.firstSignal(of: server, member: "Sentinel") == [.string("still here")])
  }

  @Test("Numbers come in either order of bytes")
  func bigEndian() async throws {
    var message = RawMessage(
      .signal,
      [
        RawMessage.Field(code: 1, signature: "o", value: [0, 0, 0, 5] + Array("/test".utf8) + [0]),
        RawMessage.Field(code: 2, signature: "s", value: [0, 0, 0, 3] + Array("a.b".utf8) + [0]),
        RawMessage.Field(code: 3, signature: "s", value: [0, 0, 0, 1] + Array("C".utf8) + [0]),
        RawMessage.signature("uas"),
      ], body: [1, 2, 3, 4] + [0, 0, 0, 6] + [0, 0, 0, 1, 0x78, 0])
    message.endianness = UInt8(ascii: "B")
    message.isBigEndian = true
    let server = try PeerServer([.sending(message.bytes, closes: false)])
    #expect(try await Self.firstSignal(of: server, member: "C") == [.uint32(0x0102_0304), .strings(["x"])])
  }

  @Test(
    "An answer to Hello that is none is no connection",
    arguments: [
      RawMessage(.methodReturn, [RawMessage.replySerial(1)]),
      RawMessage(.methodReturn, [RawMessage.replySerial(1), RawMessage.signature("u")], body: [1, 0, 0, 0]),
      RawMessage(
        .methodReturn, [RawMessage.replySerial(1), RawMessage.signature("s")], body: RawMessage.string("no name")),
      RawMessage(.methodReturn, [RawMessage.replySerial(1), RawMessage.signature("h")], body: RawMessage.number(9)),
      RawMessage(.error, [RawMessage.replySerial(1), RawMessage.errorName("org.blepera.Error.Full")]),
    ])
  func hello(answer: RawMessage) async throws {
    let server = try PeerServer([.answeringHello(answer)])
    await #expect(throws: DBusFailure.self) { try await DBusConnection.open(server.address, on: TestLoops.second) }
  }

  @Test("Messages with bytes changed at random end the connection or do not, and never the process")
  func mutations() async throws {
    var generator = SeededGenerator(seed: 7)
    let sound =
      Self.sound.map(\.bytes) + [
        RawMessage.signal(
          "sa{sv}(yv)",
          RawMessage.string("abc") + RawMessage.number(24) + [0, 0, 0, 0] + RawMessage.string("key")
            + [1, UInt8(ascii: "u"), 0, 0, 0, 0] + RawMessage.number(7) + [0, 0, 0, 0] + [
              1, 1, UInt8(ascii: "y"), 0, 9,
            ]
        ).bytes,
        RawMessage(
          .methodCall,
          [
            RawMessage.path("/"), RawMessage.interface("org.freedesktop.DBus.Peer"), RawMessage.member("Ping"),
            RawMessage.sender(":1.9"), RawMessage.signature("ay"),
          ], body: RawMessage.number(4) + [1, 2, 3, 4]
        ).bytes,
        RawMessage(
          .error, [RawMessage.replySerial(2), RawMessage.errorName("a.b"), RawMessage.signature("s")],
          body: RawMessage.string("why")
        ).bytes,
      ]
    let scripts = (0..<300).map { index -> PeerServer.Script in
      var bytes = sound[index % sound.count]
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes[place] = .random(in: 0 ... .max, using: &generator)
        case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 2: bytes.insert(.random(in: 0 ... .max, using: &generator), at: place)
        default: bytes[place] = [0, 1, 4, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
        }
      }
      return .sending(bytes, closes: true)
    }
    let server = try PeerServer(scripts)
    for _ in scripts { #expect(try await Self.outcome(of: server).count == 1) }
  }

  /// Connects, calls, and waits for the end of the connection: what the call came to.
  private static func outcome(of server: PeerServer) async throws -> [Result<[DBusValue], DBusFailure>] {
    let connection = try await DBusConnection.open(server.address, on: TestLoops.second)
    let (ends, answers) = (Mailbox<Int>(), Mailbox<Result<[DBusValue], DBusFailure>>())
    await connection.run { connection in
      connection.export(at: "/") { [weak connection] call in
        connection?.assumeIsolated { $0.reply(to: call, .success(call.call.arguments)) }
      }
      connection.onDisconnect { ends.put(1) }
      connection.start(MethodCall(destination: ":1.9", path: "/", interface: nil, member: "A")) { answers.put($0) }
    }
    #expect(try await ends.next() == 1)
    await connection.close()
    #expect(ends.left == [])
    return answers.left
  }

  private static func firstSignal(of server: PeerServer, member: MemberName) async throws -> [DBusValue] {
    let heard = Mailbox<[DBusValue]>()
    let connection = try await DBusConnection.open(server.address, on: TestLoops.second)
    // The peer sends at AddMatch and does not answer it.
    let subscription = Task {
      try await connection.subscribe(to: MatchRule(member: member)) { signal, _ in heard.put(signal.arguments) }
    }
    let arguments = try await heard.next()
    subscription.cancel()
    _ = try? await subscription.value
    await connection.close()
    return arguments
  }
}
