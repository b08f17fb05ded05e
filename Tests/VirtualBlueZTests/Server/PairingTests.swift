import BusTesting
import DBus
import EventLoop
import Testing

@testable import VirtualBlueZ

@Suite("Pairing on the virtual bluetoothd", .timeLimit(.minutes(1)))
struct PairingTests {
  private static let agent: ObjectPath = "/agent"

  /// A connected phone whose value needs encryption.
  private func phone(_ scene: Scene) async throws -> (Program, ObjectPath) {
    let program = Program(connection: scene.app)
    try await program.export(Program.objects(flags: ["encrypt-read"]))
    #expect(await program.register() == nil)
    let other = Program(connection: scene.client)
    #expect(try await other.advertise(Program.lively) == nil)
    try await scene.connect()
    return (program, try await scene.object(BluezNames.characteristic, Program.measurement))
  }

  /// An agent of a connection, and what it is asked.
  private func register(_ connection: DBusConnection, _ capability: String) async throws -> Mailbox<IncomingCall> {
    let questions = Mailbox<IncomingCall>()
    await connection.export(at: Self.agent) { questions.put($0) }
    for (member, arguments) in [
      ("RegisterAgent", [.objectPath(Self.agent), .string(capability)]),
      ("RequestDefaultAgent", [.objectPath(Self.agent)]),
    ] as [(MemberName, [DBusValue])] {
      _ = try await connection.call(Scene.call(BluezNames.root, BluezNames.agentManager, member, arguments))
    }
    return questions
  }

  @Test("A read that needs encryption pairs, and is answered where the agent allows it", arguments: [true, false])
  func encryptedRead(isAllowed: Bool) async throws {
    try await Scene.run { scene async throws in
      let questions = try await register(scene.app, "NoInputNoOutput")
      let (program, path) = try await phone(scene)
      let answers = Mailbox<Result<[DBusValue], DBusFailure>>()
      let read = Scene.call(path, BluezNames.characteristic, "ReadValue", [.properties([])])
      _ = await scene.client.start(read) { answers.put($0) }
      let question = try await questions.next()
      #expect(question.call.member == "RequestAuthorization")
      #expect(question.call.arguments == [.objectPath(Scene.central)])
      guard isAllowed else {
        await program.answer(question, .failure(.bluez("Rejected", "")))
        #expect(
          try await answers.next() == .failure(.remote(.bluez("NotPermitted", "Not paired"))))
        return
      }
      await program.answer(question, .success([]))
      await program.answer(try await program.next("ReadValue"), .success([.bytes([1])]))
      #expect(try await answers.next() == .success([.bytes([1])]))
      #expect(try await scene.get(Scene.phone, BluezNames.device, "Bonded") == .boolean(true))
    }
  }

  @Test("Without an agent a read that needs encryption is refused, and so is Pair")
  func noAgent() async throws {
    try await Scene.run { scene async throws in
      let (_, path) = try await phone(scene)
      #expect(
        await scene.refusal(path, BluezNames.characteristic, "ReadValue", [.properties([])])
          == "org.bluez.Error.NotPermitted: Not paired")
      #expect(
        await scene.refusal(Scene.phone, BluezNames.device, "Pair")
          == "org.bluez.Error.AuthenticationFailed: Authentication Failed")
    }
  }

  @Test("A passkey is shown at one side and typed at the other")
  func passkey() async throws {
    try await Scene.run { scene async throws in
      let shown = try await register(scene.app, "DisplayOnly")
      _ = try await phone(scene)
      let typed = Mailbox<IncomingCall>()
      await scene.client.export(at: Self.agent) { typed.put($0) }
      try await scene.ask(
        BluezNames.root, BluezNames.agentManager, "RegisterAgent",
        [.objectPath(Self.agent), .string("KeyboardOnly")])
      async let paired = scene.ask(Scene.phone, BluezNames.device, "Pair")
      let display = try await shown.next()
      #expect(display.call.member == "DisplayPasskey")
      let request = try await typed.next()
      #expect(request.call.member == "RequestPasskey")
      #expect(request.call.arguments == [.objectPath(Scene.phone)])
      await scene.client.reply(to: request, .success([display.call.arguments[1]]))
      #expect(try await paired == [])
      #expect(try await scene.get(Scene.central, BluezNames.device, "Paired") == .boolean(true))
    }
  }

  @Test("Agents are refused by name and message")
  func agents() async throws {
    try await Scene.run { scene async throws in
      _ = try await register(scene.client, "")
      #expect(
        await scene.refusal(
          BluezNames.root, BluezNames.agentManager, "RegisterAgent", [.objectPath("/other"), .string("")])
          == "org.bluez.Error.AlreadyExists: Already Exists")
      try await scene.ask(
        BluezNames.root, BluezNames.agentManager, "UnregisterAgent", [.objectPath(Self.agent)])
      #expect(
        await scene.refusal(
          BluezNames.root, BluezNames.agentManager, "RequestDefaultAgent", [.objectPath(Self.agent)])
          == "org.bluez.Error.DoesNotExist: Does Not Exist")
    }
  }
}
