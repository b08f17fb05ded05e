import BleperaAir
import BleperaBlueZProtocol
package import BleperaDBus
import BleperaLoop
import BleperaVirtualBlueZ
package import BusTesting

/// A pairing agent of a program, which asks the case.
package struct Agent: Sendable {
  package static let path: ObjectPath = "/agent"

  package let connection: DBusConnection
  package let questions = Mailbox<IncomingCall>()

  /// Registers it; as the default agent where that is asked.
  package init(_ connection: DBusConnection, _ capability: String, isDefault: Bool = true, allows: Bool = false)
    async throws
  {
    self.connection = connection
    await connection.export(at: Self.path) { [questions, weak connection] call in
      questions.put(call)
      // bluetoothd asks at both sides, and the default agent is that of both.
      if allows { connection?.assumeIsolated { $0.reply(to: call, .success([])) } }
    }
    _ = try await connection.call(
      Stage.call(
        BlueZName.root, BlueZName.agentManager, "RegisterAgent", [.objectPath(Self.path), .string(capability)]))
    guard isDefault else { return }
    _ = try await connection.call(
      Stage.call(BlueZName.root, BlueZName.agentManager, "RequestDefaultAgent", [.objectPath(Self.path)]))
  }

  /// The next question of that kind, answered.
  @discardableResult
  package func next(
    _ member: MemberName, answer: Result<[DBusValue], DBusErrorReply>? = nil
  ) async throws -> IncomingCall {
    let question = try await questions.wait { $0.call.member == member ? $0 : nil }
    if let answer { await connection.reply(to: question, answer) }
    return question
  }
}
