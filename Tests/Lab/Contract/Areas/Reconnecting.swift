import BleperaAir
import BleperaBlueZProtocol
import BleperaDBus
import BleperaVirtualBlueZ
import BusTesting

/// The attributes that a client without a bond keeps over a reconnection, when the services were published again
/// meanwhile, and over Service Changed. No Service Changed is kept for such a client: it compares the Database Hash.
extension ContractCase {
  private static let noSession = "org.bluez.Error.Failed: No notify session started"

  /// A service at a fixed handle, which can be published again as it was, or with a second characteristic.
  private static func numbered(_ handle: UInt16 = 0x0100, isGrown: Bool = false) -> [Program.Object] {
    let objects = Program.objects(
      flags: ["notify"], service: [("Handle", .uint16(handle))], characteristic: [("Handle", .uint16(handle + 2))])
    guard isGrown else { return objects }
    let more: Program.Properties = [
      ("UUID", .string("00002a38-0000-1000-8000-00805f9b34fb")), ("Service", .objectPath(Program.service)),
      ("Flags", .strings(["read"])),
    ]
    return objects + [("/app/service/more", BlueZName.gattCharacteristic, more)]
  }

  /// The service is published again while no client is connected.
  private static func publishAgain(
    _ stage: Stage, _ program: Program, _ objects: [Program.Object]
  ) async throws {
    stage.check(await program.unregister(), nil, "UnregisterApplication")
    await program.export(objects)
    stage.check(await program.register(), nil, "RegisterApplication")
    // bluetoothd computes the Database Hash 100 ms after a change.
    try await stage.beQuiet()
  }

  private static func isNotifying(_ stage: Stage, _ path: ObjectPath) async throws -> DBusValue? {
    try await stage.get(path, BlueZName.gattCharacteristic, "Notifying")
  }

  /// Connects again; a call that follows comes before the discovery.
  private static func connectAgain(_ stage: Stage) async throws {
    await stage.radio.slowDown()
    try await stage.reconnect()
  }

  private static func resolve(_ stage: Stage) async throws {
    await stage.radio.pass(.seconds(30))
    try await stage.reach("ServicesResolved", of: stage.phone, BlueZName.device, toBe: .boolean(true))
  }

  static let reconnecting: [ContractCase] = [
    ContractCase(
      .notifying, "An unchanged service that is published again can be subscribed to right after Connect",
      releases: since66
    ) { stage throws in
      let (program, path) = try await stage.meet(numbered())
      try await stage.disconnect()
      try await publishAgain(stage, program, numbered())
      try await connectAgain(stage)
      stage.check(await result(stage, start(path)), "[]")
      _ = try await program.next("StartNotify")
      try await resolve(stage)
      stage.check(try await isNotifying(stage, path), .boolean(true))
      try await program.notify([1])
      try await stage.wait(for: "Value", of: path, toBe: .bytes([1]))
    },
    ContractCase(
      .notifying, "A subscription is restored at the next connection, though the service was published again",
      releases: since66
    ) { stage throws in
      let (program, path) = try await stage.meet(numbered())
      stage.check(await result(stage, start(path)), "[]")
      _ = try await program.next("StartNotify")
      try await stage.disconnect()
      _ = try await program.next("StopNotify")
      try await publishAgain(stage, program, numbered())
      try await connectAgain(stage)
      stage.check(await Stage.refusal(stage.app, start(path)), nil, "another client")
      _ = try await program.next("StartNotify")
      try await resolve(stage)
      stage.check(try await isNotifying(stage, path), .boolean(true))
      try await program.notify([1])
      try await stage.wait(for: "Value", of: path, toBe: .bytes([1]))
      stage.check(program.calls.left.map(\.call.member), [], "another StartNotify")
    },
    ContractCase(
      .notifying, "A subscription right after Connect is lost where the service has changed",
      releases: since66
    ) { stage throws in
      let (program, path) = try await stage.meet(numbered())
      try await stage.disconnect()
      try await publishAgain(stage, program, numbered(isGrown: true))
      try await connectAgain(stage)
      stage.check(await result(stage, start(path)), "[]")
      _ = try await program.next("StartNotify")
      await stage.radio.pass(.seconds(30))
      try await stage.waitForObject(path, toBeThere: false)
      try await resolve(stage)
      stage.check(try await isNotifying(stage, path), .boolean(false))
      try await program.notify([1])
      try await stage.beQuiet()
      stage.check(try await stage.get(path, BlueZName.gattCharacteristic, "Value"), .bytes([]))
      stage.check(await result(stage, stop(path)), noSession)
      stage.check(program.calls.left.map(\.call.member), [], "a StopNotify")
      stage.check(await result(stage, start(path)), "[]", "again")
      try await program.notify([2])
      try await stage.wait(for: "Value", of: path, toBe: .bytes([2]))
    },
    ContractCase(
      .notifying, "A subscription to a service with new handles uses the old handle, and fails", releases: since66
    ) { stage throws in
      let (program, path) = try await stage.meet(numbered())
      try await stage.disconnect()
      try await publishAgain(stage, program, numbered(0x0120))
      try await connectAgain(stage)
      stage.check(
        await result(stage, start(path)), "org.bluez.Error.Failed: Operation failed with ATT error: 0x01")
      await stage.radio.pass(.seconds(30))
      try await stage.waitForObject(path, toBeThere: false)
      try await resolve(stage)
      _ = try await stage.object(BlueZName.gattCharacteristic, Program.measurement)
      stage.check(program.calls.left.map(\.call.member), [], "a StartNotify")
    },
    ContractCase(
      .notifying,
      "A service that is published again while a client is connected has new objects without a subscription",
      releases: since66
    ) { stage throws in
      let (program, path) = try await stage.meet(numbered())
      stage.check(await result(stage, start(path)), "[]")
      _ = try await program.next("StartNotify")
      stage.check(await program.unregister(), nil)
      try await stage.waitForObject(path, toBeThere: false)
      stage.check(await program.register(), nil)
      try await stage.waitForObject(path, toBeThere: true)
      stage.check(try await isNotifying(stage, path), .boolean(false))
      stage.check(await result(stage, stop(path)), noSession)
    },
  ]
}
