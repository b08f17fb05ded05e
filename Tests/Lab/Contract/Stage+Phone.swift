import BleperaAir
import BleperaBlueZProtocol
package import BleperaDBus
import BleperaVirtualBlueZ

/// The way to a connected phone.
extension Stage {
  /// How long the first attempt at a connection may take: once in some tens of connections the kernel of a slow
  /// micro-VM does not establish the link, and reports that after half a minute.
  private static let attemptLength = Duration.seconds(5)

  /// Has the phone found.
  package func find() async throws {
    try await ask(Self.clientAdapter, BlueZName.adapter, "StartDiscovery")
    try await waitForObject(phone, toBeThere: true)
    try await ask(Self.clientAdapter, BlueZName.adapter, "StopDiscovery")
  }

  /// Finds the phone from the second adapter, connects to it and waits for its services.
  package func connect() async throws {
    try await find()
    try await reconnect()
    try await reach("ServicesResolved", of: phone, BlueZName.device, toBe: .boolean(true))
  }

  /// Connects to the phone, which the client knows, without waiting for its services.
  package func reconnect() async throws {
    let call = Self.call(phone, BlueZName.device, "Connect")
    do throws(DBusFailure) {
      _ = try await client.call(call, timeout: Self.attemptLength)
    } catch .timedOut {
      // The pending attempt ends, which bluetoothd reports as an error.
      _ = await refusal(phone, BlueZName.device, "Disconnect")
      _ = try await client.call(call)
    }
  }

  package func disconnect() async throws {
    try await ask(phone, BlueZName.device, "Disconnect")
    try await reach("Connected", of: phone, BlueZName.device, toBe: .boolean(false))
  }

  /// A phone that has these objects and is connected, and the path of its measurement at the client.
  package func meet(_ objects: [Program.Object]) async throws -> (program: Program, path: ObjectPath) {
    let program = Program(connection: app)
    await program.export(objects)
    if let refusal = await program.register() {
      throw ContractFailure("the application is refused: \(refusal)", file: #fileID, line: #line)
    }
    try await goOnAir()
    try await connect()
    return (program, try await object(BlueZName.gattCharacteristic, Program.measurement))
  }

  package func meet(
    flags: [String], value: Program.Properties = []
  ) async throws -> (program: Program, path: ObjectPath) {
    try await meet(Program.objects(flags: flags, characteristic: value))
  }

  /// Has the phone advertise something that a central need not wait for.
  @discardableResult
  package func goOnAir(_ properties: Program.Properties = Program.lively) async throws -> Program {
    let advertisement = Program(connection: app, root: "/advertisement")
    if let refusal = await advertisement.advertise(properties) {
      throw ContractFailure("the advertisement is refused: \(refusal)", file: #fileID, line: #line)
    }
    return advertisement
  }
}
