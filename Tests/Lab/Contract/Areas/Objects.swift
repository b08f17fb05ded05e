import BleperaAir
import BleperaBlueZProtocol
import BleperaDBus
import BleperaVirtualBlueZ

/// The objects on the bus and their properties.
extension ContractCase {
  private static func handle(_ stage: Stage) -> [String] { stage.minor < 69 ? [] : ["Handle"] }
  private static func mtu(_ stage: Stage) -> [String] { stage.minor < 62 ? [] : ["MTU"] }

  static let objects: [ContractCase] = [
    ContractCase(.objects, "org.bluez has the two managers and the adapters") { stage throws in
      let objects = try await stage.objects()
      stage.check(
        objects[BlueZName.root]?[BlueZName.agentManager.rawValue] != nil, true, "AgentManager1")
      for adapter in [Stage.appAdapter, Stage.clientAdapter] {
        for interface in [BlueZName.adapter, BlueZName.gattManager, BlueZName.advertisingManager] {
          stage.check(objects[adapter]?[interface.rawValue] != nil, true, "\(interface) of \(adapter)")
        }
      }
    },
    ContractCase(.objects, "The object manager reports Introspectable and Properties too") { stage throws in
      try await stage.goOnAir()
      try await stage.ask(Stage.clientAdapter, BlueZName.adapter, "StartDiscovery")
      let standard: Set = [InterfaceName.introspectable.rawValue, InterfaceName.properties.rawValue]
      try await stage.wait { signal -> Void? in
        guard signal.member == "InterfacesAdded", signal.arguments[0].path == stage.phone,
          case .dictionary(let interfaces) = signal.arguments[1]
        else { return nil }
        stage.check(standard.subtracting(interfaces.entries.compactMap(\.key.text)), [], "InterfacesAdded")
        return ()
      }
      let objects = try await stage.objects()
      for path in [Stage.clientAdapter, stage.phone] {
        stage.check(standard.subtracting(objects[path]?.keys.map(\.self) ?? []), [], "\(path)")
      }
    },
    ContractCase(.objects, "An adapter has these properties and initial values") {
      stage throws in
      let properties = try await stage.properties(Stage.appAdapter, BlueZName.adapter)
      stage.check(
        properties.keys.sorted(),
        [
          "Address", "AddressType", "Alias", "Class",
        ] + (stage.minor < 79 ? [] : ["Connectable"]) + [
          "Discoverable", "DiscoverableTimeout", "Discovering",
        ] + (stage.minor < 71 ? [] : ["Manufacturer"]) + [
          "Modalias", "Name", "Pairable", "PairableTimeout",
        ] + (stage.minor < 66 ? [] : ["PowerState"]) + [
          "Powered", "Roles", "UUIDs",
        ] + (stage.minor < 71 ? [] : ["Version"]))
      let begin: [(String, DBusValue)] = [
        ("AddressType", .string("public")), ("Powered", .boolean(true)), ("Discoverable", .boolean(false)),
        ("DiscoverableTimeout", .uint32(180)), ("Discovering", .boolean(false)), ("Pairable", .boolean(true)),
        ("PairableTimeout", .uint32(0)), ("Roles", .strings(["central", "peripheral"])),
        ("Modalias", .string("usb:v1D6Bp0246d05\(String(stage.minor, radix: 16))")),
      ]
      for (name, value) in begin { stage.check(properties[name], value, name) }
      stage.check(properties["Name"], properties["Alias"], "Name and Alias")
    },
    ContractCase(.objects, "The alias is settable, and an empty alias restores the name") { stage throws in
      let name = try await stage.get(Stage.appAdapter, BlueZName.adapter, "Name")
      for (alias, expected) in [("a phone", DBusValue.string("a phone")), ("", name ?? .byte(0))] {
        try await stage.set(Stage.appAdapter, BlueZName.adapter, "Alias", .string(alias))
        try await stage.reach("Alias", of: Stage.appAdapter, BlueZName.adapter, toBe: expected)
      }
      stage.check(try await stage.get(Stage.appAdapter, BlueZName.adapter, "Name"), name)
    },
    ContractCase(.objects, "An advertising manager has these properties") { stage throws in
      let properties = try await stage.properties(Stage.appAdapter, BlueZName.advertisingManager)
      stage.check(
        properties.keys.sorted(),
        ["ActiveInstances"] + (stage.minor < 56 ? [] : ["SupportedCapabilities", "SupportedFeatures"])
          + ["SupportedIncludes", "SupportedInstances", "SupportedSecondaryChannels"])
      stage.check(properties["ActiveInstances"], .byte(0))
      stage.check(properties["SupportedInstances"], .byte(3))
      stage.check(properties["SupportedIncludes"], .strings(["tx-power", "appearance", "local-name"]))
      stage.check(properties["SupportedSecondaryChannels"], .strings(["1M", "2M", "Coded"]))
      guard stage.minor >= 56 else { return }
      let capabilities = properties["SupportedCapabilities"]?.asProperties
      stage.check(capabilities?["MaxAdvLen"], .byte(251))
      stage.check(capabilities?["MaxScnRspLen"], .byte(251))
    },
    ContractCase(.objects, "A discovered device has these properties") { stage throws in
      try await stage.goOnAir(Program.lively + [("LocalName", .string("phone")), ("Appearance", .uint16(64))])
      try await stage.ask(Stage.clientAdapter, BlueZName.adapter, "StartDiscovery")
      try await stage.wait(for: "Name", of: stage.phone, toBe: .string("phone"))
      let properties = try await stage.properties(stage.phone, BlueZName.device)
      stage.check(
        properties.keys.sorted(),
        [
          "Adapter", "Address", "AddressType", "AdvertisingFlags", "Alias", "Appearance", "Blocked",
        ] + (stage.minor < 65 ? [] : ["Bonded"]) + (stage.minor < 83 ? [] : ["CablePairing"]) + [
          "Connected", "Icon", "LegacyPairing", "Name", "Paired", "RSSI", "ServicesResolved", "Trusted", "UUIDs",
        ])
      let values: [(String, DBusValue?)] = [
        ("Adapter", .objectPath(Stage.clientAdapter)), ("Address", .string(stage.appAddress)),
        ("AddressType", .string("public")), ("Alias", .string("phone")), ("Appearance", .uint16(64)),
        ("Icon", .string("phone")), ("Blocked", .boolean(false)), ("Bonded", stage.minor < 65 ? nil : .boolean(false)),
        ("Connected", .boolean(false)), ("LegacyPairing", .boolean(false)), ("Paired", .boolean(false)),
        ("RSSI", .int16(-50)), ("ServicesResolved", .boolean(false)), ("Trusted", .boolean(false)),
        ("UUIDs", .strings([])),
      ]
      for (name, value) in values { stage.check(properties[name], value, name) }
    },
    ContractCase(.objects, "A device without a name has its address as alias") { stage throws in
      try await stage.goOnAir()
      try await stage.find()
      let properties = try await stage.properties(stage.phone, BlueZName.device)
      stage.check(properties["Name"], nil)
      stage.check(properties["Alias"], .string(stage.appAddress.replacing(":", with: "-")))
    },
    ContractCase(.objects, "A remote characteristic has these properties") { stage throws in
      let (_, path) = try await stage.meet(
        flags: ["read", "write", "write-without-response", "notify", "indicate"])
      let properties = try await stage.properties(path, BlueZName.gattCharacteristic)
      stage.check(
        properties.keys.sorted(),
        ["Flags"] + handle(stage) + mtu(stage) + [
          "NotifyAcquired", "Notifying", "Service", "UUID", "Value", "WriteAcquired",
        ])
      let values: [(String, DBusValue?)] = [
        ("Flags", .strings(["read", "write-without-response", "write", "notify", "indicate"])),
        ("MTU", stage.minor < 62 ? nil : .uint16(517)), ("NotifyAcquired", .boolean(false)),
        ("Notifying", .boolean(false)),
        ("Service", .objectPath(path.parent ?? .root)), ("UUID", .string(Program.measurement)),
        ("Value", .bytes([])), ("WriteAcquired", .boolean(false)),
      ]
      for (name, value) in values { stage.check(properties[name], value, name) }
    },
    ContractCase(
      .objects, "A remote characteristic that is only read has no properties for notifying or acquiring"
    ) {
      stage throws in
      let (_, path) = try await stage.meet(flags: ["read"])
      stage.check(
        try await stage.properties(path, BlueZName.gattCharacteristic).keys.sorted(),
        ["Flags"] + handle(stage) + mtu(stage) + ["Service", "UUID", "Value"])
      stage.check(
        try await stage.properties(path.parent ?? .root, BlueZName.gattService).keys.sorted(),
        ["Device"] + handle(stage) + ["Includes", "Primary", "UUID"])
    },
    ContractCase(.objects, "A remote descriptor has these properties") { stage throws in
      let (_, path) = try await stage.meet(Program.objects(descriptor: ["read"]))
      let descriptor = try await stage.object(BlueZName.gattDescriptor, Program.description, below: path)
      let properties = try await stage.properties(descriptor, BlueZName.gattDescriptor)
      stage.check(properties.keys.sorted(), ["Characteristic"] + handle(stage) + ["UUID", "Value"])
      stage.check(properties["Characteristic"], .objectPath(path))
      stage.check(properties["Value"], .bytes([]))
    },
    ContractCase(.objects, "Trusted and Alias of a device are settable") { stage throws in
      try await stage.goOnAir()
      try await stage.find()
      try await stage.set(stage.phone, BlueZName.device, "Trusted", .boolean(true))
      try await stage.wait(for: "Trusted", of: stage.phone, toBe: .boolean(true))
      try await stage.set(stage.phone, BlueZName.device, "Alias", .string("mine"))
      try await stage.wait(for: "Alias", of: stage.phone, toBe: .string("mine"))
      try await stage.set(stage.phone, BlueZName.device, "Alias", .string(""))
      try await stage.wait(
        for: "Alias", of: stage.phone, toBe: .string(stage.appAddress.replacing(":", with: "-")))
    },
  ]
}
