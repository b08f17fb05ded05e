import BleperaDBus
import BleperaEventLoop
import BleperaLoop
import BusTesting
import Testing

@Suite("Signals", .timeLimit(.minutes(5)))
struct SignalTests {
  @Test("A handler receives the signals of its rule in order, with the sender's name")
  func rules() async throws {
    try await Talk.run(loops: 2) { talk async throws in
      let received = Mailbox<Signal>()
      let senders = Mailbox<BusName?>()
      _ = try await talk.client.subscribe(
        to: MatchRule(sender: talk.serverName, interface: Talk.interface, pathNamespace: "/test")
      ) {
        received.put($0)
        senders.put($1)
      }
      let sent = [
        talk.signal("A"), talk.signal("B", [.byte(1)], path: "/test/below"), talk.signal("C", path: "/testother"),
        Signal(path: "/test", interface: "org.blepera.Other", member: "D"), talk.signal("E"),
      ]
      for signal in sent { try await talk.server.emit(signal) }
      #expect(try await received.next(3) == [sent[0], sent[1], sent[4]])
      #expect(try await senders.next(3) == [talk.serverName, talk.serverName, talk.serverName])
    }
  }

  @Test("Every rule that takes a signal has its handler run once, the older one first")
  func overlapping() async throws {
    try await Talk.run { talk async throws in
      let received = Mailbox<String>()
      for (name, rule) in [
        ("any", MatchRule(interface: Talk.interface)), ("A", MatchRule(interface: Talk.interface, member: "A")),
        ("again", MatchRule(interface: Talk.interface)),
        ("argument", MatchRule(interface: Talk.interface, arg0: "x")),
      ] {
        _ = try await talk.client.subscribe(to: rule) { signal, _ in received.put("\(name) \(signal.member)") }
      }
      for signal in [talk.signal("A"), talk.signal("B", [.string("x")])] { try await talk.server.emit(signal) }
      #expect(try await received.next(6) == ["any A", "A A", "again A", "any B", "again B", "argument B"])
    }
  }

  @Test("A handler that has ended receives no more signals, another one with the same rule does")
  func unsubscribe() async throws {
    try await Talk.run { talk async throws in
      let (first, second) = (Mailbox<MemberName>(), Mailbox<MemberName>())
      let rule = MatchRule(interface: Talk.interface)
      let token = try await talk.client.subscribe(to: rule) { signal, _ in first.put(signal.member) }
      _ = try await talk.client.subscribe(to: rule) { signal, _ in second.put(signal.member) }
      try await talk.server.emit(talk.signal("A"))
      #expect(try await first.next() == "A")
      await talk.client.unsubscribe(token)
      await talk.client.unsubscribe(token)
      try await talk.server.emit(talk.signal("B"))
      #expect(try await second.next(2) == ["A", "B"])
      #expect(first.left == [])
    }
  }

  @Test("A handler that an earlier one ends is not run for the same signal")
  func unsubscribeInside() async throws {
    try await Talk.run { talk async throws in
      let (received, tokens) = (Mailbox<String>(), Mailbox<Int>())
      let rule = MatchRule(interface: Talk.interface)
      _ = try await talk.client.subscribe(to: rule) { [weak client = talk.client] signal, _ in
        received.put("first \(signal.member)")
        client?.assumeIsolated { client in for token in tokens.left { client.unsubscribe(token) } }
      }
      tokens.put(try await talk.client.subscribe(to: rule) { signal, _ in received.put("second \(signal.member)") })
      try await talk.server.emit(talk.signal("A"))
      try await talk.server.emit(talk.signal("B"))
      #expect(try await received.next(2) == ["first A", "first B"])
    }
  }

  @Test("Each end takes its own rule back from the bus")
  func removed() async throws {
    try await Talk.run { talk async throws in
      let rule = MatchRule(interface: Talk.interface, member: "A")
      let remove = MethodCall(
        destination: .bus, path: .bus, interface: .bus, member: "RemoveMatch", arguments: [.string(rule.text)])
      let tokens = [
        try await talk.client.subscribe(to: rule) { _, _ in }, try await talk.client.subscribe(to: rule) { _, _ in },
      ]
      await talk.client.unsubscribe(tokens[0])
      #expect(try await talk.client.call(remove) == [], "the second one's is still there")
      let error = await #expect(throws: DBusFailure.self) { try await talk.client.call(remove) }
      guard case .remote(let reply)? = error else { throw PrivateBus.Failure(cause: "no error from the bus") }
      #expect(reply.name == "org.freedesktop.DBus.Error.MatchRuleNotFound")
    }
  }

  @Test("A rule that the bus refuses leaves no handler behind")
  func refusedRule() async throws {
    try await Talk.run { talk async throws in
      let received = Mailbox<MemberName>()
      let rule = MatchRule(path: "/test", pathNamespace: "/test")
      let error = await #expect(throws: DBusFailure.self) {
        try await talk.client.subscribe(to: rule) { signal, _ in received.put(signal.member) }
      }
      guard case .remote(let reply)? = error else { throw PrivateBus.Failure(cause: "\(String(describing: error))") }
      #expect(reply.name == "org.freedesktop.DBus.Error.MatchRuleInvalid")
      let others = Mailbox<MemberName>()
      _ = try await talk.client.subscribe(to: MatchRule(path: "/test")) { signal, _ in others.put(signal.member) }
      try await talk.server.emit(talk.signal("A"))
      #expect(try await others.next() == "A")
      #expect(received.left == [])
    }
  }

  @Test("An answer and the signals around it come in the order they were sent")
  func order() async throws {
    try await Talk.run(loops: 2) { talk async throws in
      let log = Mailbox<String>()
      await talk.serve { server, call in
        for signal in [talk.signal("Before1"), talk.signal("Before2")] { try? server.emit(signal) }
        server.reply(to: call, .success([]))
        for signal in [talk.signal("After1"), talk.signal("After2")] { try? server.emit(signal) }
      }
      _ = try await talk.client.subscribe(to: MatchRule(interface: Talk.interface)) { signal, _ in
        log.put(signal.member.rawValue)
      }
      for _ in 0..<20 {
        await talk.client.run { client in
          _ = client.start(talk.call("Go")) { _ in log.put("answer") }
        }
        #expect(try await log.next(5) == ["Before1", "Before2", "answer", "After1", "After2"])
      }
    }
  }

  @Test("A thousand signals in one go all arrive, in order, and hold up nothing else for good")
  func flood() async throws {
    try await Talk.run(loops: 2) { talk async throws in
      let received = Mailbox<Int64>()
      _ = try await talk.client.subscribe(to: MatchRule(interface: Talk.interface)) { signal, _ in
        received.put(signal.arguments.first?.integer ?? -1)
      }
      try await talk.server.run { server in
        for index: Int64 in 0..<1000 { try server.emit(talk.signal("Tick", [.int64(index)])) }
      }
      #expect(try await received.next(1000) == Array(0..<1000))
      await talk.echo()
      #expect(try await talk.ask("Echo", [.byte(1)]) == [.byte(1)])
    }
  }

  @Test("A signal to one connection needs no rule, and no other connection receives it")
  func directed() async throws {
    try await Talk.run { talk async throws in
      let received = Mailbox<MemberName>()
      let other = try await DBusConnection.open(talk.bus.address, on: TestLoops.second)
      _ = try await other.subscribe(to: MatchRule(interface: Talk.interface, member: "Directed")) { signal, _ in
        received.put(signal.member)
      }
      _ = try await other.subscribe(to: MatchRule(interface: Talk.interface, member: "Broad")) { signal, _ in
        received.put(signal.member)
      }
      var signal = talk.signal("Directed")
      signal.destination = talk.clientName
      try await talk.server.emit(signal)
      try await talk.server.emit(talk.signal("Broad"))
      #expect(try await received.next() == "Broad")
      await other.close()
    }
  }
}
