import BleperaDBus
import BleperaEventLoop
import BleperaLoop
import BusTesting
import Glibc
import Testing

@Suite("The end of a connection", .timeLimit(.minutes(5)))
struct DisconnectionTests {
  @Test("A bus that dies fails every call that waits and is reported once", arguments: [1, 2])
  func death(loops: Int) async throws {
    try await Talk.run(loops: loops) { talk async throws in
      let log = Mailbox<String>()
      let calls = Mailbox<IncomingCall>()
      await talk.serve { _, call in calls.put(call) }
      await talk.client.run { client in
        for index in 0..<3 { client.start(talk.call("Wait")) { log.put("call \(index) \($0)") } }
        for index in 0..<2 { client.onDisconnect { log.put("end \(index)") } }
      }
      let waiting = try await calls.next(3)
      talk.bus.kill()
      let failed = "failure(\(DBusFailure.disconnected))"
      #expect(
        try await log.next(5)
          == ["call 0 \(failed)", "call 1 \(failed)", "call 2 \(failed)", "end 0", "end 1"])
      await #expect(throws: DBusFailure.disconnected) { try await talk.client.call(talk.call("Any")) }
      await #expect(throws: DBusFailure.disconnected) { try await talk.client.emit(talk.signal("Any")) }
      await #expect(throws: DBusFailure.disconnected) { try await talk.client.subscribe(to: MatchRule()) { _, _ in } }
      await talk.server.reply(to: waiting[0], .success([]))
      await talk.client.unsubscribe(1)
      await talk.client.onDisconnect { log.put("late") }
      #expect(log.left == ["late"])
      await talk.client.close()
      #expect(log.left == ["late"])
    }
  }

  @Test("Closing fails what waits, is reported once, and may be repeated")
  func close() async throws {
    try await Talk.run { talk async throws in
      let (ends, calls) = (Mailbox<Void>(), Mailbox<IncomingCall>())
      await talk.serve { _, call in calls.put(call) }
      await talk.client.onDisconnect { ends.put(()) }
      let task = Task { try await talk.client.call(talk.call("Wait")) }
      _ = try await calls.next()
      await talk.client.close()
      await talk.client.close()
      await #expect(throws: DBusFailure.disconnected) { try await task.value }
      #expect(ends.left.count == 1)
    }
  }

  @Test("What was sent before closing arrives")
  func flush() async throws {
    try await Talk.run(loops: 2) { talk async throws in
      let received = Mailbox<Int64>()
      _ = try await talk.client.subscribe(to: MatchRule(interface: Talk.interface)) { signal, _ in
        received.put(signal.arguments.first?.integer ?? -1)
      }
      let padding = DBusValue.bytes([UInt8](repeating: 0, count: 10_000))
      try await talk.server.run { server in
        for index: Int64 in 0..<100 { try server.emit(talk.signal("Last", [.int64(index), padding])) }
        server.close()
      }
      #expect(try await received.next(100) == Array(0..<100))
    }
  }

  @Test("A bus that takes nothing more does not keep a connection from closing")
  func stuck() async throws {
    try await Talk.run { talk async throws in
      talk.bus.freeze()
      let padding = DBusValue.bytes([UInt8](repeating: 0, count: 1_000_000))
      try await talk.client.run { client in
        try client.emit(talk.signal("Stuck", [padding]))
        try client.emit(talk.signal("Stuck", [padding]))
      }
      #expect(await talk.client.outgoingSize > 1_000_000)
      await talk.client.close()
      #expect(await talk.client.outgoingSize == 0)
      talk.bus.kill()
    }
  }

  @Test("A handler may close its own connection")
  func closeInside() async throws {
    try await Talk.run { talk async throws in
      let received = Mailbox<MemberName>()
      let ends = Mailbox<Void>()
      _ = try await talk.client.subscribe(to: MatchRule(interface: Talk.interface)) {
        [weak client = talk.client] signal, _ in
        received.put(signal.member)
        client?.assumeIsolated { $0.close() }
      }
      await talk.client.onDisconnect { ends.put(()) }
      for member in ["A", "B", "C"] as [MemberName] { try await talk.server.emit(talk.signal(member)) }
      try await ends.next()
      #expect(received.left == ["A"])
    }
  }

  @Test("An answer may close the connection it came by")
  func closeInAnswer() async throws {
    try await Talk.run { talk async throws in
      await talk.echo()
      let log = Mailbox<String>()
      await talk.client.run { client in
        client.onDisconnect { log.put("end") }
        client.start(talk.call("Echo")) { [weak client] _ in
          log.put("first")
          client?.assumeIsolated { $0.close() }
        }
        client.start(talk.call("Echo")) { log.put("second \($0 == .failure(.disconnected))") }
      }
      #expect(try await log.next(3) == ["first", "second true", "end"])
    }
  }

  @Test("A connection that is not referenced any more leaves the bus, and its calls fail")
  func dropped() async throws {
    try await Talk.run { talk async throws in
      let (owners, answers) = (Mailbox<[DBusValue]>(), Mailbox<Result<[DBusValue], DBusFailure>>())
      weak var held: DBusConnection?
      do {
        let other = try await DBusConnection.open(talk.bus.address, on: TestLoops.second)
        held = other
        let name = try #require(await other.uniqueName)
        _ = try await talk.client.subscribe(
          to: MatchRule(sender: .bus, interface: .bus, member: "NameOwnerChanged", arg0: name.rawValue)
        ) { signal, _ in owners.put(signal.arguments) }
        _ = try await other.subscribe(to: MatchRule(interface: Talk.interface)) { _, _ in }
        await talk.serve { _, _ in }
        await other.run { other in
          other.export(at: "/") { _ in }
          other.start(talk.call("Wait")) { answers.put($0) }
        }
      }
      #expect(try await owners.next().last == .string(""))
      #expect(try await answers.next() == .failure(.disconnected))
      #expect(held == nil)
    }
  }

  @Test("A connection that breaks while it sends is reported")
  func reset() async throws {
    let (until, then) = (try Pipe(), try Pipe())
    let server = try PeerServer(overTCP: true, [.resetting(until: until, then: then)])
    let connection = try await DBusConnection.open(server.address, on: TestLoops.second)
    let log = Mailbox<String>()
    await connection.run { connection in
      connection.onDisconnect { log.put("end") }
      // The loop is here, so it is the sending that meets the reset.
      until.writeByte()
      _ = then.readByte()
      connection.start(MethodCall(destination: ":1.9", path: "/", interface: nil, member: "A")) {
        log.put("call \($0 == .failure(.disconnected))")
      }
    }
    #expect(try await log.next(2) == ["call true", "end"])
    await connection.close()
    withExtendedLifetime(server) {}
  }
}
