import BleperaBlueZProtocol
package import BleperaDBus
import BleperaVirtualBlueZ
import BleperaAir

/// The way to a connected phone.
extension Stage {
  /// Has the phone found.
  package func find() async throws {
    try await ask(Self.clientAdapter, BlueZName.adapter, "StartDiscovery")
    try await waitForObject(phone, toBeThere: true)
    try await ask(Self.clientAdapter, BlueZName.adapter, "StopDiscovery")
  }

  /// Finds the phone from the second adapter, connects to it and waits for its services.
  package func connect() async throws {
    try await find()
    try await ask(phone, BlueZName.device, "Connect")
    try await reach("ServicesResolved", of: phone, BlueZName.device, toBe: .boolean(true))
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
