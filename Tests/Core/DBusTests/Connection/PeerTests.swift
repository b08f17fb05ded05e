import BleperaBluetooth
import BleperaDBus
import BleperaEventLoop
import BleperaLoop
import BusTesting
import Testing

@Suite("A bus that breaks the protocol", .timeLimit(.minutes(5)))
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

  /// Unusual but valid messages, which must not count as malformed.
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
    var generator = SplitMix64(seed: 7)
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
    let received = Mailbox<[DBusValue]>()
    let connection = try await DBusConnection.open(server.address, on: TestLoops.second)
    // The peer sends at AddMatch and does not answer it.
    let subscription = Task {
      try await connection.subscribe(to: MatchRule(member: member)) { signal, _ in received.put(signal.arguments) }
    }
    let arguments = try await received.next()
    subscription.cancel()
    _ = try? await subscription.value
    await connection.close()
    return arguments
  }
}
