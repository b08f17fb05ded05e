import BleperaDBus
import BleperaEventLoop
import BleperaLoop
import BusTesting
import Testing

@Suite("Owners of names", .timeLimit(.minutes(5)))
struct NameOwnerTests {
  private static let name: BusName = "org.blepera.Test"
  private static let rule = MatchRule(
    sender: .bus, interface: .bus, member: "NameOwnerChanged", arg0: name.rawValue)

  @Test("A name has no owner, then one, then none again, and each change is signaled")
  func changes() async throws {
    try await Talk.run { talk async throws in
      let changes = Mailbox<[DBusValue]>()
      let senders = Mailbox<BusName?>()
      _ = try await talk.client.subscribe(to: Self.rule) {
        changes.put($0.arguments)
        senders.put($1)
      }
      #expect(try await talk.client.owner(of: Self.name) == nil)
      try await Self.request(Self.name, by: talk.server)
      #expect(try await talk.client.owner(of: Self.name) == talk.serverName)
      let text = DBusValue.string(Self.name.rawValue)
      let owner = DBusValue.string(talk.serverName.rawValue)
      #expect(try await changes.next() == [text, .string(""), owner])
      await talk.server.close()
      #expect(try await changes.next() == [text, owner, .string("")])
      #expect(try await senders.next(2) == [.bus, .bus])
      #expect(try await talk.client.owner(of: Self.name) == nil)
    }
  }

  @Test("A unique name is its own owner until its connection ends, and the bus is its own")
  func uniqueNames() async throws {
    try await Talk.run { talk async throws in
      #expect(talk.serverName != talk.clientName)
      #expect(talk.serverName.isUnique)
      #expect(try await talk.client.owner(of: talk.serverName) == talk.serverName)
      #expect(try await talk.client.owner(of: .bus) == .bus)
      await talk.server.close()
      // The bus notices the end when it next reads.
      while try await talk.client.owner(of: talk.serverName) != nil {}
    }
  }

  @Test("A signal of the bus that another connection has forged is not taken for one")
  func forged() async throws {
    try await Talk.run { talk async throws in
      let changes = Mailbox<[DBusValue]>()
      _ = try await talk.client.subscribe(to: Self.rule) { signal, _ in changes.put(signal.arguments) }
      let arguments: [DBusValue] = [
        .string(Self.name.rawValue), .string(""), .string(talk.serverName.rawValue),
      ]
      try await talk.server.emit(
        Signal(
          destination: talk.clientName, path: .bus, interface: .bus, member: "NameOwnerChanged",
          arguments: arguments))
      try await talk.settle()
      #expect(changes.left == [])
    }
  }

  @Test("A call by a well-known name reaches its owner")
  func wellKnown() async throws {
    try await Talk.run { talk async throws in
      await talk.echo()
      try await Self.request(Self.name, by: talk.server)
      var call = talk.call("Echo", [.byte(1)])
      call.destination = Self.name
      #expect(try await talk.client.call(call) == [.byte(1)])
    }
  }

  @Test("A name is given to the first that asks for it")
  func request() async throws {
    try await Talk.run { talk async throws in
      #expect(try await talk.server.request(Self.name))
      #expect(try await talk.server.request(Self.name))
      #expect(try await talk.client.request(Self.name) == false)
      #expect(try await talk.client.owner(of: Self.name) == talk.serverName)
    }
  }

  @Test("A failure to ask for the owner is not taken for there being none")
  func failure() async throws {
    try await Talk.run { talk async throws in
      await talk.client.close()
      await #expect(throws: DBusFailure.disconnected) { try await talk.client.owner(of: Self.name) }
    }
  }

  private static func request(_ name: BusName, by connection: DBusConnection) async throws {
    let answer = try await connection.call(
      MethodCall(
        destination: .bus, path: .bus, interface: .bus, member: "RequestName",
        arguments: [.string(name.rawValue), .uint32(4)]))
    try #require(answer == [.uint32(1)])
  }
}
