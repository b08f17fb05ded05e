import BleperaAir
import BleperaBlueZProtocol
import BleperaDBus
import BleperaVirtualBlueZ

extension ContractCase {
  private static let noService = "org.bluez.Error.Failed: No valid service object found"
  private static let noEntry = "org.bluez.Error.Failed: Failed to create entry in database"
  private static let paths: (ObjectPath, ObjectPath) = ("/app/first", "/app/second")

  private static func service(_ path: ObjectPath, _ more: Program.Properties = []) -> Program.Object {
    (path, BlueZName.gattService, [("UUID", .string("180f")), ("Primary", .boolean(true))] + more)
  }

  private static let applications: [(String, [Program.Object], String?)] = [
    ("with one characteristic is taken", Program.objects(), nil),
    ("with a descriptor is taken", Program.objects(descriptor: ["read"]), nil),
    ("without a characteristic is taken", [service("/app/a")], nil),
    ("with a secondary service is taken", Program.objects(service: [("Primary", .boolean(false))]), nil),
    (
      "that includes itself is taken", Program.objects(service: [("Includes", .paths([Program.service]))]), nil
    ),
    (
      "that includes an earlier service is taken",
      [service("/app/a"), service("/app/b", [("Includes", .paths(["/app/a"]))])], nil
    ),
    ("without objects is refused", [], "org.bluez.Error.Failed: No object received"),
    ("with no flags is refused", Program.objects(flags: []), noService),
    ("with an unknown flag is refused", Program.objects(flags: ["fly"]), noService),
    ("with a UUID that is none is refused", Program.objects(uuid: "x"), noEntry),
    ("with Generic Access is refused", Program.objects(uuid: "1800"), noEntry),
    ("with Generic Attribute is refused", Program.objects(uuid: "1801"), noEntry),
    ("with handles that are taken is refused", Program.objects(service: [("Handle", .uint16(1))]), noEntry),
    (
      "with a characteristic of no service is refused",
      [
        (
          Program.characteristic, BlueZName.gattCharacteristic,
          [("UUID", .string("2a37")), ("Flags", .strings(["read"]))]
        )
      ], noService
    ),
    (
      "with a characteristic of a missing service is refused",
      [
        service("/app/a"),
        (
          Program.characteristic, BlueZName.gattCharacteristic,
          [("UUID", .string("2a37")), ("Service", .objectPath("/none")), ("Flags", .strings(["read"]))]
        ),
      ], noService
    ),
    (
      "with a descriptor without flags is refused", Program.objects(descriptor: []), noService
    ),
    (
      "that includes a service that is not there is taken",
      Program.objects(service: [("Includes", .paths(["/none"]))]), nil
    ),
  ]

  static let registration: [ContractCase] =
    applications.map { name, objects, expected in
      ContractCase(.registration, "An application \(name)") { stage throws in
        let program = Program(connection: stage.app)
        await program.export(objects)
        stage.check(await program.register(), expected)
      }
    } + [
      ContractCase(.registration, "An application is registered once, and unregistered once") { stage throws in
        let program = Program(connection: stage.app)
        await program.export(Program.objects())
        stage.check(await program.register(), nil)
        stage.check(await program.register(), "org.bluez.Error.AlreadyExists: Already Exists")
        stage.check(await program.unregister(), nil)
        stage.check(await program.unregister(), "org.bluez.Error.DoesNotExist: Does Not Exist")
        stage.check(await program.register(), nil, "again")
      },
      ContractCase(.registration, "An application is unregistered by its owner alone") { stage throws in
        let program = Program(connection: stage.app)
        await program.export(Program.objects())
        stage.check(await program.register(), nil)
        stage.check(
          await stage.refusal(
            Stage.appAdapter, BlueZName.gattManager, "UnregisterApplication", [.objectPath(program.root)]),
          "org.bluez.Error.DoesNotExist: Does Not Exist")
      },
      ContractCase(.registration, "One program may have several applications") { stage throws in
        for root in ["/first", "/second"] as [ObjectPath] {
          let program = Program(connection: stage.app, root: root)
          await program.export([service(root.appending("service"))])
          stage.check(await program.register(), nil, "\(root)")
        }
      },
      ContractCase(.registration, "The adapter lists the UUIDs of its services") { stage throws in
        let program = Program(connection: stage.app)
        await program.export(Program.objects())
        stage.check(await program.register(), nil)
        let uuid = Program.heartRate
        let there = try await stage.get(Stage.appAdapter, BlueZName.adapter, "UUIDs")?.stringArray
        stage.check(there?.contains(uuid), true, "registered")
        stage.check(await program.unregister(), nil)
        let remaining = try await stage.get(Stage.appAdapter, BlueZName.adapter, "UUIDs")?.stringArray
        stage.check(remaining?.contains(uuid), false, "unregistered")
      },
      ContractCase(.registration, "The end of a program removes its services") { stage throws in
        let program = Program(connection: stage.app)
        await program.export(Program.objects())
        stage.check(await program.register(), nil)
        await stage.app.close()
        try await stage.wait { signal -> Void? in
          let uuids = Stage.value(of: "UUIDs", of: Stage.appAdapter, in: signal)?.stringArray
          return uuids?.contains(Program.heartRate) == false ? () : nil
        }
      },
    ]
}
