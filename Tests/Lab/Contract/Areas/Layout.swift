import BleperaAir
import BleperaBlueZProtocol
import BleperaDBus
import BleperaVirtualBlueZ

/// Handles, and what a central finds.
extension ContractCase {
  static let layout: [ContractCase] = [
    ContractCase(.registration, "A handle that is registered as 0 is assigned and reported") { stage throws in
      let program = Program(connection: stage.app)
      await program.export(
        Program.objects(service: [("Handle", .uint16(0))], characteristic: [("Handle", .uint16(0))]))
      stage.check(await program.register(), nil)
      var handles: [ObjectPath: UInt64] = [:]
      for _ in 0..<2 {
        let call = try await program.next("Set").call
        stage.check(call.arguments[1], .string("Handle"))
        handles[call.path] = call.arguments[2].unwrapped.unsigned
      }
      let start = try stage.require(handles[Program.service], "handle of the service")
      stage.check(handles[Program.characteristic], start + 2, "of the value")
    },
    ContractCase(.registration, "A requested handle is assigned, and a central discovers it") { stage throws in
      let (_, path) = try await stage.meet(
        Program.objects(
          flags: ["read", "notify"], service: [("Handle", .uint16(0x100))],
          characteristic: [("Handle", .uint16(0x102))], descriptor: ["read"]))
      stage.check(path, stage.phone.appending("service0100").appending("char0101"))
      let objects = try await stage.objects()
      stage.check(
        objects[path.appending("desc0103")]?[BlueZName.gattDescriptor.rawValue]?["UUID"]?.text,
        "00002902-0000-1000-8000-00805f9b34fb", "the descriptor after the value")
      stage.check(
        objects[path.appending("desc0104")]?[BlueZName.gattDescriptor.rawValue]?["UUID"]?.text, Program.description,
        "the descriptor of the program")
    },
    ContractCase(.registration, "A central discovers included services") { stage throws in
      let battery: Program.Object = (
        "/app/a", BlueZName.gattService, [("UUID", .string("180f")), ("Primary", .boolean(false))]
      )
      _ = try await stage.meet(
        [battery] + Program.objects(service: [("Includes", .paths(["/app/a"]))]))
      let service = try await stage.object(BlueZName.gattService, Program.heartRate)
      let other = try await stage.object(BlueZName.gattService, "0000180f-0000-1000-8000-00805f9b34fb")
      stage.check(try await stage.get(service, BlueZName.gattService, "Includes"), .paths([other]))
      stage.check(try await stage.get(other, BlueZName.gattService, "Primary"), .boolean(false))
    },
    ContractCase(.registration, "The property for reliable writes adds the extended properties descriptor") {
      stage throws in
      let (_, path) = try await stage.meet(flags: ["write", "reliable-write"])
      let descriptor = try await stage.object(
        BlueZName.gattDescriptor, "00002900-0000-1000-8000-00805f9b34fb", below: path)
      stage.check(
        try await stage.ask(descriptor, BlueZName.gattDescriptor, "ReadValue", [.properties([])]), [.bytes([1, 0])])
      stage.check(
        try await stage.get(path, BlueZName.gattCharacteristic, "Flags"),
        .strings(["write", "extended-properties", "reliable-write"]))
    },
    ContractCase(.registration, "A 128-bit UUID is kept") { stage throws in
      let uuid = "a5b1c2d3-0000-4e5f-8a9b-0c1d2e3f4a5b"
      let (_, _) = try await stage.meet(Program.objects(uuid: uuid))
      let service = try await stage.object(BlueZName.gattService, uuid)
      stage.check(try await stage.get(service, BlueZName.gattService, "UUID"), .string(uuid))
      stage.check(
        try await stage.get(stage.phone, BlueZName.device, "UUIDs")?.stringArray?.contains(uuid), true)
    },
    ContractCase(.eatt, "bluetoothd's own services come first") { stage throws in
      _ = try await stage.meet(Program.objects())
      let own = try await stage.objects().filter { stage.phone.isAncestor(of: $0.key) }
      // Before 5.61, and from 5.81 on where the kernel has no LL Privacy, Generic Access has no Central Address
      // Resolution; the kernel of 5.87 has it.
      let (service, characteristics, information) =
        (61...80).contains(stage.minor) || stage.minor >= 87
        ? ("service0008", [("char0009", "2a05"), ("char000c", "2b29"), ("char000e", "2b2a")], "service0012")
        : ("service0006", [("char0007", "2a05"), ("char000a", "2b29"), ("char000c", "2b2a")], "service0010")
      let path = stage.phone.appending(service)
      stage.check(
        own[path]?[BlueZName.gattService.rawValue]?["UUID"]?.text, "00001801-0000-1000-8000-00805f9b34fb")
      let features = stage.minor < 61 ? [("char000e", "2b3a")] : stage.minor < 67 ? [("char0010", "2b3a")] : []
      for (element, uuid) in characteristics + features {
        stage.check(
          own[path.appending(element)]?[BlueZName.gattCharacteristic.rawValue]?["UUID"]?.text,
          "0000\(uuid)-0000-1000-8000-00805f9b34fb", element)
      }
      stage.check(
        own[stage.phone.appending(information)]?[BlueZName.gattService.rawValue]?["UUID"]?.text,
        "0000180a-0000-1000-8000-00805f9b34fb")
      stage.check(own[stage.phone.appending("service0001")] != nil, stage.minor >= 80, "Generic Access is exported")
    },
    ContractCase(.registration, "A connected central is notified of added services") { stage throws in
      _ = try await stage.meet(Program.objects())
      let other = Program(connection: stage.app, root: "/other")
      await other.export([
        ("/other/service", BlueZName.gattService, [("UUID", .string("180f")), ("Primary", .boolean(true))])
      ])
      stage.check(await other.register(), nil)
      let path = try await stage.wait { signal -> ObjectPath? in
        let path = signal.arguments.first?.path
        let uuid = path.flatMap { Stage.value(of: "UUID", of: $0, in: signal)?.text }
        return uuid == "0000180f-0000-1000-8000-00805f9b34fb" ? path : nil
      }
      stage.check(path.parent, stage.phone)
    },
    ContractCase(
      .registration, "A connected central is notified of services that are removed with their program",
      releases: since66
    ) {
      stage throws in
      let (program, path) = try await stage.meet(Program.objects())
      stage.check(await program.unregister(), nil)
      try await stage.waitForObject(path, toBeThere: false)
    },
    ContractCase(.registration, "A removed service object is not discovered any more") { stage throws in
      let (program, path) = try await stage.meet(Program.objects())
      try await stage.app.emit(
        Signal(
          path: program.root, interface: .objectManager, member: "InterfacesRemoved",
          arguments: [.objectPath(Program.service), .strings([BlueZName.gattService.rawValue])]))
      try await stage.waitForObject(path, toBeThere: false)
    },
  ]
}
