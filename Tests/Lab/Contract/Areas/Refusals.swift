import BleperaAir
import BleperaBlueZProtocol
import BleperaDBus
import BleperaVirtualBlueZ

/// Calls that are wrong in themselves.
extension ContractCase {
  private struct Wrong: Sendable {
    let name: String
    let path: ObjectPath
    let interface: InterfaceName
    let member: MemberName
    let arguments: [DBusValue]
    let expected: String
  }

  private static let none: ObjectPath = "/none"
  private static let doesNotExist = "org.bluez.Error.DoesNotExist: Does Not Exist"
  private static let invalid = "org.bluez.Error.InvalidArguments: Invalid arguments in method call"
  private static let adapter = Stage.clientAdapter

  private static func get(_ name: String, _ interface: String, _ property: String, _ expected: String) -> Wrong {
    Wrong(
      name: name, path: adapter, interface: .properties, member: "Get",
      arguments: [.string(interface), .string(property)], expected: expected)
  }

  private static func set(_ name: String, _ property: String, _ value: DBusValue, _ expected: String) -> Wrong {
    Wrong(
      name: name, path: adapter, interface: .properties, member: "Set",
      arguments: [.string(BlueZName.adapter.rawValue), .string(property), .variant(value)], expected: expected)
  }

  private static let wrongCalls: [Wrong] = [
    Wrong(
      name: "RemoveDevice of no device", path: adapter, interface: BlueZName.adapter, member: "RemoveDevice",
      arguments: [.objectPath(none)], expected: doesNotExist),
    Wrong(
      name: "UnregisterApplication of none", path: adapter, interface: BlueZName.gattManager,
      member: "UnregisterApplication", arguments: [.objectPath(none)], expected: doesNotExist),
    Wrong(
      name: "RegisterApplication where there is no object", path: adapter, interface: BlueZName.gattManager,
      member: "RegisterApplication", arguments: [.objectPath(none), .properties([])],
      expected: "org.bluez.Error.Failed: No object received"),
    Wrong(
      name: "UnregisterAdvertisement of none", path: adapter, interface: BlueZName.advertisingManager,
      member: "UnregisterAdvertisement", arguments: [.objectPath(none)], expected: doesNotExist),
    Wrong(
      name: "UnregisterAgent of none", path: BlueZName.root, interface: BlueZName.agentManager,
      member: "UnregisterAgent", arguments: [.objectPath(none)], expected: doesNotExist),
    Wrong(
      name: "RequestDefaultAgent of none", path: BlueZName.root, interface: BlueZName.agentManager,
      member: "RequestDefaultAgent", arguments: [.objectPath(none)], expected: doesNotExist),
    Wrong(
      name: "RegisterAgent with an unknown capability", path: BlueZName.root, interface: BlueZName.agentManager,
      member: "RegisterAgent", arguments: [.objectPath(none), .string("Mind")], expected: invalid),
    Wrong(
      name: "A method that is not there", path: adapter, interface: BlueZName.adapter, member: "Fly", arguments: [],
      expected: "org.freedesktop.DBus.Error.UnknownMethod: Method \"Fly\" with signature \"\" on interface "
        + "\"org.bluez.Adapter1\" doesn't exist\n"),
    Wrong(
      name: "A method with other arguments", path: adapter, interface: BlueZName.adapter, member: "StartDiscovery",
      arguments: [.byte(1)],
      expected: "org.freedesktop.DBus.Error.UnknownMethod: Method \"StartDiscovery\" with signature \"y\" on interface "
        + "\"org.bluez.Adapter1\" doesn't exist\n"),
    Wrong(
      name: "A method of an interface that is not there", path: adapter, interface: "org.bluez.Nothing1",
      member: "Fly", arguments: [.string("x")],
      expected: "org.freedesktop.DBus.Error.UnknownMethod: Method \"Fly\" with signature \"s\" on interface "
        + "\"org.bluez.Nothing1\" doesn't exist\n"),
    Wrong(
      name: "A method of an object that is not there", path: "/org/bluez/hci7", interface: BlueZName.adapter,
      member: "StartDiscovery", arguments: [],
      expected: "org.freedesktop.DBus.Error.UnknownObject: Method \"StartDiscovery\" with signature \"\" on interface "
        + "\"org.bluez.Adapter1\" doesn't exist\n"),
    get(
      "A property that is not there", "org.bluez.Adapter1", "Colour",
      "org.freedesktop.DBus.Error.InvalidArgs: No such property 'Colour'"),
    get(
      "A property of an interface that is not there", "org.bluez.Nothing1", "Name",
      "org.freedesktop.DBus.Error.InvalidArgs: No such interface 'org.bluez.Nothing1'"),
    set(
      "Setting a property that is only read", "Address", .string("x"),
      "org.freedesktop.DBus.Error.PropertyReadOnly: Property 'Address' is not writable"),
    set(
      "Setting a property that is not there", "Colour", .string("x"),
      "org.freedesktop.DBus.Error.UnknownProperty: No such property 'Colour'"),
    set(
      "Setting a property to another type", "Powered", .string("x"),
      "org.freedesktop.DBus.Error.InvalidSignature: Invalid signature for 'Powered'"),
    Wrong(
      name: "All properties of an interface that is not there", path: adapter, interface: .properties,
      member: "GetAll", arguments: [.string("org.bluez.Nothing1")],
      expected: "org.freedesktop.DBus.Error.InvalidArgs: No such interface 'org.bluez.Nothing1'"),
    Wrong(
      name: "A property of an object that is not there", path: "/org/bluez/hci7", interface: .properties,
      member: "Get", arguments: [.string("org.bluez.Adapter1"), .string("Name")],
      expected: "org.freedesktop.DBus.Error.UnknownObject: Method \"Get\" with signature \"ss\" on interface "
        + "\"org.freedesktop.DBus.Properties\" doesn't exist\n"),
  ]

  static let refusals: [ContractCase] =
    wrongCalls.map { wrong in
      ContractCase(.refusals, "\(wrong.name) is refused by name and message") { stage throws in
        stage.check(
          await stage.refusal(wrong.path, wrong.interface, wrong.member, wrong.arguments), wrong.expected)
      }
    } + [
      ContractCase(.refusals, "CancelPairing without a pairing is refused by name and message") { stage throws in
        try await stage.goOnAir()
        try await stage.find()
        stage.check(
          await stage.refusal(stage.phone, BlueZName.device, "CancelPairing"),
          "org.bluez.Error.DoesNotExist: Does Not Exist")
      }
    ]
}
