import BleperaDBus
import BleperaEventLoop
import BleperaLoop
import BusTesting
import Testing

/// Two connections to a private bus.
struct Talk: Sendable {
  static let path: ObjectPath = "/test"
  static let interface: InterfaceName = "org.blepera.Test"

  let bus: PrivateBus
  let server: DBusConnection
  let client: DBusConnection
  let serverName: BusName
  let clientName: BusName

  /// - Parameter loops: 1 for both connections on one thread, 2 for one each.
  static func run(loops count: Int = 1, _ body: (Talk) async throws -> Void) async throws {
    let bus = try PrivateBus()
    let server = try await DBusConnection.open(bus.address, on: TestLoops.first, timeout: .seconds(60))
    let client = try await DBusConnection.open(
      bus.address, on: count == 1 ? TestLoops.first : TestLoops.second, timeout: .seconds(60))
    guard let serverName = await server.uniqueName, let clientName = await client.uniqueName else {
      throw PrivateBus.Failure(cause: "a connection without a name")
    }
    let result: Result<Void, any Error>
    do {
      try await body(
        Talk(bus: bus, server: server, client: client, serverName: serverName, clientName: clientName))
      result = .success(())
    } catch {
      result = .failure(error)
    }
    await server.close()
    await client.close()
    try result.get()
  }

  func call(_ member: MemberName, _ arguments: [DBusValue] = [], path: ObjectPath = path) -> MethodCall {
    MethodCall(destination: serverName, path: path, interface: Self.interface, member: member, arguments: arguments)
  }

  /// Calls and waits for the answer.
  func ask(_ member: MemberName, _ arguments: [DBusValue] = []) async throws -> [DBusValue] {
    try await client.call(call(member, arguments))
  }

  func ask(_ member: MemberName, at path: ObjectPath) async throws -> [DBusValue] {
    try await client.call(call(member, path: path))
  }

  func signal(_ member: MemberName, _ arguments: [DBusValue] = [], path: ObjectPath = path) -> Signal {
    Signal(path: path, interface: Self.interface, member: member, arguments: arguments)
  }

  /// Answers every call with its own arguments.
  func echo() async {
    await serve { server, call in server.reply(to: call, .success(call.call.arguments)) }
  }

  /// Requires that an echoing server returns the arguments.
  func expectEcho(_ arguments: [DBusValue], sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let answer = try await ask("Echo", arguments)
    #expect(answer == arguments, sourceLocation: sourceLocation)
  }

  func serve(
    at path: ObjectPath = path, _ handler: @escaping @Sendable (isolated DBusConnection, IncomingCall) -> Void
  ) async {
    await server.export(at: path) { [weak server] call in server?.assumeIsolated { handler($0, call) } }
  }

  /// Returns once the client has handled all that the server sent before.
  func settle() async throws {
    _ = try await server.call(
      MethodCall(destination: clientName, path: "/", interface: .peer, member: "Ping"), ignoring: .unknownObject)
  }
}

extension DBusConnection {
  /// Runs `body` in one go, so that nothing of the connection happens in between.
  func run<Value: Sendable>(_ body: @Sendable (isolated DBusConnection) throws -> Value) rethrows -> Value {
    try body(self)
  }

  /// A call of which one error is as good as an answer.
  func call(_ call: MethodCall, ignoring name: ErrorName) async throws {
    do {
      _ = try await self.call(call)
    } catch .remote(let error) where error.name == name {
      return
    }
  }
}
