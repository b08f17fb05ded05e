import BleperaBlueZProtocol
import BleperaDBus
import BusTesting
import Testing

@testable import BleperaBlueZ

@Suite("The inventory of bluetoothd")
struct InventoryTests {
  private static let hci0: ObjectPath = "/org/bluez/hci0"
  private static let phone: ObjectPath = "/org/bluez/hci0/dev_00_11_22_33_44_55"

  private static let adapter: [(String, DBusValue)] = [
    ("Address", .string("00:AA:01:00:00:00")), ("Powered", .boolean(true)),
    ("Modalias", .string("usb:v1D6Bp0246d0542")), ("Alias", .string("x")),
  ]
  private static let manager: [(String, DBusValue)] = [
    ("ActiveInstances", .byte(1)), ("SupportedInstances", .byte(2)), ("SupportedIncludes", .strings([])),
  ]
  private static let device: [(String, DBusValue)] = [
    ("Address", .string("00:11:22:33:44:55")), ("Connected", .boolean(true)), ("Paired", .boolean(false)),
  ]

  @Test("GetManagedObjects returns adapters with their managers, and devices")
  func managedObjects() throws {
    let inventory = Inventory(
      managedObjects: try Self.objects([
        (Self.phone, ["org.bluez.Device1": Self.device, "org.freedesktop.DBus.Properties": []]),
        ("/org/bluez", ["org.bluez.AgentManager1": []]),
        (
          Self.hci0,
          [
            "org.bluez.LEAdvertisingManager1": Self.manager + [("SupportedCapabilities", .properties([]))],
            "org.bluez.GattManager1": [], "org.bluez.Adapter1": Self.adapter,
          ]
        ), ("/org/bluez/hci1", ["org.bluez.Adapter1": []]),
      ]))
    #expect(
      inventory.adapters == [
        Self.hci0: Adapter(
          path: Self.hci0, address: "00:AA:01:00:00:00", isPowered: true, version: DaemonVersion(5, 66),
          hasGATTManager: true,
          advertising: .init(activeInstances: 1, freeInstances: 2, hasCapabilities: true)),
        "/org/bluez/hci1": Adapter(path: "/org/bluez/hci1"),
      ])
    #expect(
      inventory.devices == [
        Self.phone: RemoteDevice(path: Self.phone, address: "00:11:22:33:44:55", isConnected: true)
      ])
  }

  @Test(
    "An answer of another shape is an empty inventory",
    arguments: [.byte(1), .strings([]), .properties([("a", .byte(1))]), .dictionary(nonsense)] as [DBusValue])
  func otherShapes(value: DBusValue) {
    #expect(Inventory(managedObjects: value) == Inventory())
  }

  /// Objects whose interfaces are no dictionaries of properties.
  private static let nonsense: DBusDictionary = {
    do {
      return try DBusDictionary(key: .objectPath, value: .string, [(.objectPath("/org/bluez/hci0"), .string("x"))])
    } catch { preconditionFailure("\(error)") }
  }()

  /// Adapters by name, each powered or not, and the one taken with and without a name.
  private static let choices: [([(String, Bool)], String?, String?)] = [
    ([], nil, nil), ([], "hci0", nil), ([("hci0", false)], nil, "hci0"), ([("hci0", true)], "hci1", nil),
    ([("hci10", true), ("hci2", true)], nil, "hci2"), ([("hci10", true), ("hci2", false)], nil, "hci10"),
    ([("hci10", false), ("hci2", false), ("hci3", false)], nil, "hci2"),
    ([("hci0", true), ("hci1", false)], "hci1", "hci1"), ([("hci10", true)], "hci1", nil),
  ]

  @Test("The adapter is the requested one, or the first powered one, or the first", arguments: choices)
  func choice(adapters: [(String, Bool)], wanted: String?, taken: String?) {
    var inventory = Inventory()
    for (name, isPowered) in adapters {
      _ = inventory.apply(
        Self.added(Trace.adapter(name), ["org.bluez.Adapter1": [("Powered", .boolean(isPowered))]]))
    }
    #expect(inventory.adapter(named: wanted)?.name == taken)
  }

  private static let known = ("it is known", added(phone, ["org.bluez.Device1": device.map { ($0.0, $0.1) }]))
  private static let away = changed(phone, "org.bluez.Device1", [("Connected", .boolean(false))])

  /// The earlier signals, the signal, and the changes that it causes.
  private static let signals: [(String, [Signal], Signal, [String])] = [
    ("a central announces itself by its object", [], known.1, ["connected"]),
    ("the same again", [known.1], known.1, []),
    ("it leaves", [known.1], away, ["disconnected"]),
    (
      "a device connects again", [known.1, away], changed(phone, "org.bluez.Device1", [("Connected", .boolean(true))]),
      ["connected"]
    ),
    ("it says so twice", [known.1, away], away, []),
    (
      "it has paired", [known.1],
      changed(phone, "org.bluez.Device1", [("Paired", .boolean(true)), ("Bonded", .boolean(true))]), ["bonded"]
    ),
    (
      // 5.66 delays Paired until services are resolved, which never are with ReverseServiceDiscovery=false.
      "its keys are exchanged, and it has not been found to be paired", [known.1],
      changed(phone, "org.bluez.Device1", [("Bonded", .boolean(true))]), ["bonded"]
    ),
    (
      "it is found to be paired afterwards",
      [known.1, changed(phone, "org.bluez.Device1", [("Bonded", .boolean(true))])],
      changed(phone, "org.bluez.Device1", [("Paired", .boolean(true))]), []
    ),
    (
      "a daemon that knows only Paired", [known.1], changed(phone, "org.bluez.Device1", [("Paired", .boolean(true))]),
      ["bonded"]
    ),
    (
      "a device that is paired when it is first reported has not just paired", [],
      added(phone, ["org.bluez.Device1": [("Paired", .boolean(true))]]), []
    ),
    (
      "nor has one that is bonded then", [], added(phone, ["org.bluez.Device1": [("Bonded", .boolean(true))]]), []
    ),
    ("its object goes while it is connected", [known.1], removed(phone, ["org.bluez.Device1"]), ["disconnected"]),
    ("its object goes after it", [known.1, away], removed(phone, ["org.bluez.Device1"]), []),
    (
      "a device of which nothing is known", [], changed(phone, "org.bluez.Device1", [("Connected", .boolean(true))]), []
    ),
    ("an adapter comes", [], added(hci0, ["org.bluez.Adapter1": adapter]), ["adapters"]),
    (
      "an adapter with its managers comes as one change for each", [],
      added(hci0, ["org.bluez.Adapter1": [], "org.bluez.GattManager1": []]), ["adapters", "adapters"]
    ),
    (
      "it is switched off", [added(hci0, ["org.bluez.Adapter1": adapter])],
      changed(hci0, "org.bluez.Adapter1", [("Powered", .boolean(false))]), ["adapters"]
    ),
    (
      "a property that is of no interest", [added(hci0, ["org.bluez.Adapter1": adapter])],
      changed(hci0, "org.bluez.Adapter1", [("Discovering", .boolean(true))]), []
    ),
    (
      "a property of another type", [added(hci0, ["org.bluez.Adapter1": adapter])],
      changed(hci0, "org.bluez.Adapter1", [("Powered", .string("no")), ("Address", .byte(1))]), []
    ),
    ("it goes", [added(hci0, ["org.bluez.Adapter1": adapter])], removed(hci0, ["org.bluez.Adapter1"]), ["adapters"]),
    (
      "its manager goes", [added(hci0, ["org.bluez.Adapter1": [], "org.bluez.GattManager1": []])],
      removed(hci0, ["org.bluez.GattManager1"]), ["adapters"]
    ),
    ("an adapter goes that never was", [], removed(hci0, ["org.bluez.Adapter1", "org.bluez.GattManager1"]), []),
    ("a manager goes that never was", [], removed(hci0, ["org.bluez.LEAdvertisingManager1"]), []),
    (
      "an adapter of which nothing is known", [], changed(hci0, "org.bluez.Adapter1", [("Powered", .boolean(true))]), []
    ),
    ("an interface of no interest", [], added(hci0, ["org.bluez.Media1": []]), []),
  ]

  @Test("Each signal has its changes", arguments: signals)
  func changes(name: String, before: [Signal], signal: Signal, expected: [String]) {
    var inventory = Inventory()
    for signal in before { _ = inventory.apply(signal) }
    let changes = inventory.apply(signal).map { change in
      switch change {
      case .adapters: "adapters"
      case .connected: "connected"
      case .disconnected: "disconnected"
      case .bonded: "bonded"
      }
    }
    #expect(changes == expected)
  }

  @Test("An adapter that is reported in steps is completed")
  func steps() {
    var inventory = Inventory()
    _ = inventory.apply(Self.added(Self.hci0, ["org.bluez.Adapter1": Self.adapter]))
    _ = inventory.apply(Self.added(Self.hci0, ["org.bluez.GattManager1": []]))
    _ = inventory.apply(Self.added(Self.hci0, ["org.bluez.LEAdvertisingManager1": Self.manager]))
    _ = inventory.apply(
      Self.changed(
        Self.hci0, "org.bluez.LEAdvertisingManager1", [("ActiveInstances", .byte(2)), ("SupportedInstances", .byte(1))])
    )
    let adapter = inventory.adapters[Self.hci0]
    #expect(adapter?.hasGATTManager == true)
    #expect(adapter?.advertising == .init(activeInstances: 2, freeInstances: 1, hasCapabilities: false))
    _ = inventory.apply(Self.removed(Self.hci0, ["org.bluez.LEAdvertisingManager1"]))
    #expect(inventory.adapters[Self.hci0]?.advertising == nil)
    #expect(inventory.adapters[Self.hci0]?.isPowered == true)
  }

  /// Signals of other shapes than bluetoothd's.
  private static let garbage: [Signal] =
    [
      ("InterfacesAdded", []), ("InterfacesAdded", [.objectPath(hci0)]), ("InterfacesAdded", [.byte(1), .byte(2)]),
      ("InterfacesAdded", [.string("/org/bluez/hci0"), .dictionary(nonsense)]),
      ("InterfacesAdded", [.objectPath(hci0), .dictionary(nonsense)]), ("InterfacesRemoved", []),
      ("InterfacesRemoved", [.objectPath(hci0), .byte(1)]),
      ("InterfacesRemoved", [.objectPath(hci0), .strings(["", "?"])]),
      ("Nothing", [.objectPath(hci0)]),
    ].map { Signal(path: "/", interface: .objectManager, member: $0.0, arguments: $0.1) }
    + [
      [], [.string("org.bluez.Adapter1")], [.string("org.bluez.Adapter1"), .strings([]), .strings([])],
      [.string("?"), .properties([]), .strings([])], [.byte(1), .properties([]), .strings([])],
    ].map { Signal(path: hci0, interface: .properties, member: "PropertiesChanged", arguments: $0) }
    + [Signal(path: hci0, interface: BlueZName.adapter, member: "PropertiesChanged", arguments: [])]

  @Test("A signal with another signature changes nothing", arguments: garbage)
  func otherSignals(signal: Signal) {
    var inventory = Inventory()
    _ = inventory.apply(Self.added(Self.hci0, ["org.bluez.Adapter1": Self.adapter]))
    let before = inventory
    #expect(inventory.apply(signal) == [])
    #expect(inventory == before)
  }

  // MARK: Signals of bluetoothd

  private static func added(
    _ path: ObjectPath, _ interfaces: KeyValuePairs<String, [(String, DBusValue)]>
  ) -> Signal {
    Signal(
      path: .root, interface: .objectManager, member: "InterfacesAdded",
      arguments: [.objectPath(path), value(of: interfaces)])
  }

  private static func removed(_ path: ObjectPath, _ interfaces: [String]) -> Signal {
    Signal(
      path: .root, interface: .objectManager, member: "InterfacesRemoved",
      arguments: [.objectPath(path), .strings(interfaces)])
  }

  private static func changed(
    _ path: ObjectPath, _ interface: InterfaceName, _ properties: [(String, DBusValue)]
  ) -> Signal {
    .propertiesChanged(path, interface, changed: properties)
  }

  private static func value(of interfaces: KeyValuePairs<String, [(String, DBusValue)]>) -> DBusValue {
    do {
      return try .dictionary(
        key: .string, value: .properties, interfaces.map { (.string($0.key), .properties($0.value)) })
    } catch { preconditionFailure("\(error)") }
  }

  private static func objects(
    _ objects: [(ObjectPath, KeyValuePairs<String, [(String, DBusValue)]>)]
  ) throws -> DBusValue {
    try .dictionary(key: .objectPath, value: .interfaces, objects.map { (.objectPath($0.0), value(of: $0.1)) })
  }
}
