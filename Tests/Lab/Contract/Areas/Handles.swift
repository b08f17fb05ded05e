import BleperaAir
import BleperaBlueZProtocol
import BleperaDBus
import BleperaVirtualBlueZ
import BusTesting

/// The handles that a service may have beside others.
extension ContractCase {
  private static let noEntry = "org.bluez.Error.Failed: Failed to create entry in database"

  /// A program with a service of one handle, or of two more for each characteristic.
  private static func program(
    _ stage: Stage, _ root: ObjectPath, uuid: String = "180f", at handle: UInt16, characteristics: Int = 0
  ) async -> Program {
    let program = Program(connection: stage.app, root: root)
    let service = root.appending("service")
    var objects: [Program.Object] = [
      (
        service, BlueZName.gattService,
        [("UUID", .string(uuid)), ("Primary", .boolean(true)), ("Handle", .uint16(handle))]
      )
    ]
    for number in 0..<characteristics {
      objects.append(
        (
          service.appending("char\(number)"), BlueZName.gattCharacteristic,
          [
            ("UUID", .string("2a19")), ("Service", .objectPath(service)), ("Flags", .strings(["read"])),
            ("Handle", .uint16(handle == 0 ? 0 : handle + 2 + 2 * UInt16(number))),
          ]
        ))
    }
    await program.export(objects)
    return program
  }

  /// The handle that a service gets which asks for none.
  private static func next(_ stage: Stage, _ root: ObjectPath = "/probe", characteristics: Int = 0) async throws
    -> UInt16
  {
    let program = await program(stage, root, at: 0, characteristics: characteristics)
    stage.check(await program.register(), nil, "\(root)")
    let call = try await program.calls.wait {
      $0.call.member == "Set" && $0.call.path == root.appending("service") ? $0 : nil
    }
    stage.check(await program.unregister(), nil, "\(root)")
    return UInt16(try stage.require(call.call.arguments[2].unwrapped.unsigned, "handle"))
  }

  static let handles: [ContractCase] = [
    ContractCase(.registration, "An automatic handle is above all handles that were ever assigned") { stage throws in
      let first = try await next(stage, "/first", characteristics: 1)
      let second = try await next(stage, "/second")
      stage.check(second, first + 3, "after a removed service")
      let chosen = await program(stage, "/chosen", at: second + 9)
      stage.check(await chosen.register(), nil)
      stage.check(await chosen.unregister(), nil)
      stage.check(try await next(stage, "/third"), second + 10, "after one with a handle of its own")
    },
    ContractCase(.registration, "A service within the range of another one is refused, and one around it is accepted") {
      stage throws in
      let start = try await next(stage) + 10
      let inner = await program(stage, "/inner", at: start, characteristics: 1)
      stage.check(await inner.register(), nil)
      for (name, handle) in [("begins", start + 2), ("ends", start - 4), ("ends at the end", start - 2)] {
        let other = await program(stage, "/other", at: handle, characteristics: 2)
        stage.check(await other.register(), noEntry, "a service that \(name) in another")
      }
      let outer = await program(stage, "/outer", at: start - 3, characteristics: 4)
      stage.check(await outer.register(), nil, "a service around another")
      stage.check(await outer.unregister(), nil)
      stage.check(await inner.unregister(), nil)
    },
    ContractCase(.registration, "A second service with the same UUID and handle is accepted") {
      stage throws in
      let start = try await next(stage) + 10
      let first = await program(stage, "/first", at: start)
      stage.check(await first.register(), nil)
      let other = await program(stage, "/other", uuid: "1809", at: start)
      stage.check(await other.register(), noEntry, "another UUID")
      let second = await program(stage, "/second", at: start)
      stage.check(await second.register(), nil, "the same")
      // bluetoothd would use memory that it has freed when both leave.
      try await stage.radio.restart(isCrash: true)
    },
    ContractCase(.registration, "A handle is reported also where a later service of the program is refused") {
      stage throws in
      let start = try await next(stage) + 10
      let taken = await program(stage, "/taken", at: start)
      stage.check(await taken.register(), nil)
      let program = Program(connection: stage.app, root: "/both")
      let properties: Program.Properties = [("UUID", .string("1809")), ("Primary", .boolean(false))]
      await program.export([
        ("/both/a", BlueZName.gattService, properties + [("Handle", .uint16(0))]),
        ("/both/b", BlueZName.gattService, properties + [("Handle", .uint16(start))]),
      ])
      stage.check(await program.register(), noEntry)
      let call = try await program.next("Set").call
      stage.check(call.path, "/both/a")
      stage.check(call.arguments[2].unwrapped.unsigned, UInt64(start) + 1)
      stage.check(await taken.unregister(), nil)
    },
    ContractCase(.registration, "A removed service object frees its handle at once") { stage throws in
      let start = try await next(stage) + 10
      let first = await program(stage, "/first", at: start)
      stage.check(await first.register(), nil)
      try await stage.app.emit(
        Signal(
          path: first.root, interface: .objectManager, member: "InterfacesRemoved",
          arguments: [.objectPath("/first/service"), .strings([BlueZName.gattService.rawValue])]))
      let second = await program(stage, "/second", uuid: "1809", at: start)
      stage.check(await second.register(), nil)
      stage.check(await first.unregister(), nil)
      stage.check(await second.unregister(), nil)
    },
  ]
}
