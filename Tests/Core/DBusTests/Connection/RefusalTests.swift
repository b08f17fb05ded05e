import BleperaDBus
import BusTesting
import Testing

@Suite("Messages beyond a limit", .timeLimit(.minutes(5)))
struct RefusalTests {
  @Test("A call beyond a limit is refused, and the connection works on", arguments: ExcessiveBody.all)
  func call(body: ExcessiveBody) async throws {
    let arguments = try body.make()
    try await Talk.run { talk async throws in
      await talk.echo()
      let error = await #expect(throws: DBusFailure.self) { try await talk.client.call(talk.call("Echo", arguments)) }
      guard case .refused(let refusal)? = error else { throw PrivateBus.Failure(cause: "not refused") }
      #expect(refusal.code == body.code)
      #expect(try await talk.ask("Echo", [.byte(1)]) == [.byte(1)])
    }
  }

  @Test("A reply beyond a limit fails the call, and the connection stays usable", arguments: ExcessiveBody.all)
  func reply(body: ExcessiveBody) async throws {
    let arguments = try body.make()
    try await Talk.run { talk async throws in
      await talk.serve { server, call in server.reply(to: call, .success(arguments)) }
      let error = await #expect(throws: DBusFailure.self) { try await talk.client.call(talk.call("Any")) }
      guard case .remote(let reply)? = error else { throw PrivateBus.Failure(cause: "no error from afar") }
      #expect(reply.name == .limitsExceeded)
      #expect(reply.message.hasPrefix("The message was not sent because it has "))
      await talk.echo()
      #expect(try await talk.ask("Echo", [.byte(1)]) == [.byte(1)])
    }
  }

  @Test("A signal beyond a limit is refused, and the connection works on", arguments: ExcessiveBody.all)
  func signal(body: ExcessiveBody) async throws {
    let arguments = try body.make()
    try await Talk.run { talk async throws in
      await talk.echo()
      let error = await #expect(throws: DBusFailure.self) { try await talk.client.emit(talk.signal("Any", arguments)) }
      guard case .refused(let refusal)? = error else { throw PrivateBus.Failure(cause: "not refused") }
      #expect(refusal.code == body.code)
      #expect(try await talk.ask("Echo", [.byte(1)]) == [.byte(1)])
    }
  }

  @Test("What only libdbus may send is refused, for which a bus would end the connection")
  func reserved() async throws {
    try await Talk.run { talk async throws in
      await talk.echo()
      for call in [
        MethodCall(destination: talk.serverName, path: .local, interface: nil, member: "A"),
        MethodCall(destination: talk.serverName, path: "/", interface: .local, member: "A"),
      ] {
        let error = await #expect(throws: DBusFailure.self) { try await talk.client.call(call) }
        guard case .refused(let refusal)? = error else { throw PrivateBus.Failure(cause: "not refused") }
        #expect(refusal.code == .reservedName)
      }
      #expect(try await talk.ask("Echo", [.byte(1)]) == [.byte(1)])
    }
  }

  @Test("An error whose message is cut or cannot be sent still reaches its caller", arguments: [true, false])
  func errorMessage(isCut: Bool) async throws {
    try await Talk.run { talk async throws in
      await talk.serve { server, call in
        let message = isCut ? "a\0b" : String(repeating: "a", count: MessageLimits.messageLength)
        server.reply(to: call, .failure(DBusErrorReply(name: .failed, message: message)))
      }
      let error = await #expect(throws: DBusFailure.self) { try await talk.client.call(talk.call("Any")) }
      guard case .remote(let reply)? = error else { throw PrivateBus.Failure(cause: "no error from afar") }
      #expect(reply.name == (isCut ? .failed : .limitsExceeded))
      #expect(!isCut || reply.message == "a")
    }
  }
}
