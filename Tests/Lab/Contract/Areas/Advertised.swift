import BleperaAir
import BleperaBlueZProtocol
import BleperaDBus
import BleperaVirtualBlueZ

/// The reports of a scanner about an advertisement.
extension ContractCase {
  private static let battery = "0000180f-0000-1000-8000-00805f9b34fb"
  private static let device = BlueZName.device

  /// Properties of an advertisement, and those that a scanner's device then has.
  private static let seen: [(String, Program.Properties, [(String, DBusValue?)])] = [
    (
      "names and services", [("LocalName", .string("phone")), ("ServiceUUIDs", .strings(["180d", battery]))],
      [("Name", .string("phone")), ("UUIDs", .strings([Program.heartRate, battery]))]
    ),
    (
      "manufacturer's data", [("ManufacturerData", .variants([(0x4C, .bytes([1, 2, 3]))]))],
      [("ManufacturerData", .variants([(0x4C, .bytes([1, 2, 3]))]))]
    ),
    (
      "service data", [("ServiceData", .properties([("180f", .bytes([99]))]))],
      [("ServiceData", .properties([(battery, .bytes([99]))]))]
    ),
    ("a power", [("Includes", .strings(["tx-power"]))], [("TxPower", .int16(0))]),
    ("an appearance", [("Appearance", .uint16(0x0341))], [("Appearance", .uint16(0x0341))]),
    (
      "a name that is too long", [("LocalName", .string(String(repeating: "n", count: 40)))],
      [("Name", .string(String(repeating: "n", count: 29)))]
    ),
    (
      "flags", [("Discoverable", .boolean(true))], [("AdvertisingFlags", .bytes([6]))]
    ),
  ]

  static let advertised: [ContractCase] =
    seen.map { name, properties, expected in
      ContractCase(
        .advertising, "A scanner sees \(name)", releases: name == "a name that is too long" ? 55...75 : measured
      ) { stage throws in
        try await stage.goOnAir(Program.lively + properties)
        try await stage.ask(Stage.clientAdapter, BlueZName.adapter, "StartDiscovery")
        try await stage.waitForObject(stage.phone, toBeThere: true)
        for (name, value) in expected {
          if let value { try await stage.reach(name, of: stage.phone, device, toBe: value) }
        }
      }
    } + [
      ContractCase(.advertising, "An include of the name is the adapter's alias") { stage throws in
        try await stage.set(Stage.appAdapter, BlueZName.adapter, "Alias", .string("somebody"))
        try await stage.goOnAir(Program.lively + [("Includes", .strings(["local-name"]))])
        try await stage.ask(Stage.clientAdapter, BlueZName.adapter, "StartDiscovery")
        try await stage.wait(for: "Name", of: stage.phone, toBe: .string("somebody"))
      },
      ContractCase(.advertising, "Advertising stops while a central is connected, and continues afterwards") {
        stage throws in
        try await stage.goOnAir()
        try await stage.connect()
        try await stage.ask(stage.phone, device, "Disconnect")
        try await stage.reach("Connected", of: stage.phone, device, toBe: .boolean(false))
        try await stage.ask(Stage.clientAdapter, BlueZName.adapter, "RemoveDevice", [.objectPath(stage.phone)])
        try await stage.find()
      },
      ContractCase(.advertising, "A changed property of an advertisement is on the air") { stage throws in
        let program = try await stage.goOnAir(Program.lively + [("LocalName", .string("before"))])
        try await stage.ask(Stage.clientAdapter, BlueZName.adapter, "StartDiscovery")
        try await stage.wait(for: "Name", of: stage.phone, toBe: .string("before"))
        try await stage.app.emit(
          .propertiesChanged(program.root, BlueZName.advertisement, changed: [("LocalName", .string("after"))]))
        try await stage.wait(for: "Name", of: stage.phone, toBe: .string("after"))
      },
    ]
}
