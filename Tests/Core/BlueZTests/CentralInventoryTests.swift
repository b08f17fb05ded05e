import BleperaBlueZ
import BleperaBlueZProtocol
import BleperaBluetooth
import BleperaDBus
import BusTesting
import Testing

@Suite("The devices that a central knows")
struct CentralInventoryTests {
  private static let hci0: ObjectPath = "/org/bluez/hci0"
  private static let phone: ObjectPath = "/org/bluez/hci0/dev_00_11_22_33_44_55"
  private static let service: ObjectPath = "/org/bluez/hci0/dev_00_11_22_33_44_55/service0100"
  private static let measurement = service.appending("char0101")
  private static let location = service.appending("char0104")
  private static let base = "-0000-1000-8000-00805f9b34fb"

  private static let device: [(String, DBusValue)] = [
    ("Address", .string("00:11:22:33:44:55")), ("AddressType", .string("random")), ("Alias", .string("Heart")),
    ("Name", .string("Heart")), ("RSSI", .int16(-60)), ("Paired", .boolean(false)), ("Connected", .boolean(false)),
    ("UUIDs", .strings(["0000180d" + base])), ("ManufacturerData", .variants([(0x4C, .bytes([1, 2]))])),
    ("ServiceData", .properties([("0000180f" + base, .bytes([99]))])), ("Appearance", .uint16(832)),
    ("TxPower", .int16(-4)),
  ]

  private static func added(_ path: ObjectPath, _ interface: String, _ properties: [(String, DBusValue)]) -> Signal {
    let interfaces = DBusValue.dictionary(
      try! DBusDictionary(
        key: .string, value: .dictionary(key: .string, value: .variant),
        [(.string(interface), .properties(properties))]))
    return Signal(
      path: .root, interface: .objectManager, member: "InterfacesAdded", arguments: [.objectPath(path), interfaces])
  }

  private static func removed(_ path: ObjectPath, _ interface: String) -> Signal {
    Signal(
      path: .root, interface: .objectManager, member: "InterfacesRemoved",
      arguments: [.objectPath(path), .strings([interface])])
  }

  private static func changed(
    _ path: ObjectPath, _ interface: String, _ properties: [(String, DBusValue)], removed: [String] = []
  ) -> Signal {
    Signal(
      path: path, interface: .properties, member: "PropertiesChanged",
      arguments: [.string(interface), .properties(properties), .strings(removed)])
  }

  private static func withPhone() -> CentralInventory {
    var inventory = CentralInventory()
    _ = inventory.apply(added(phone, "org.bluez.Device1", device))
    return inventory
  }

  @Test("A device appears with everything in its first advertisement")
  func appeared() throws {
    var inventory = CentralInventory()
    let changes = inventory.apply(Self.added(Self.phone, "org.bluez.Device1", Self.device))
    guard case .appeared(let device)? = changes.first, changes.count == 1 else {
      Issue.record("\(changes)")
      return
    }
    #expect(device.address == "00:11:22:33:44:55" && device.isRandom && device.rssi == -60)
    #expect(device.advertised.name == "Heart")
    #expect(device.advertised.serviceUUIDs.map { "\($0)" } == ["180D"])
    #expect(device.advertised.manufacturerData == [0x4C: [1, 2]])
    #expect(device.advertised.serviceData == [BluetoothUUID(0x180F as UInt16): [99]])
    #expect(device.advertised.appearance == 832 && device.advertised.txPower == -4)
    #expect(device.isForgettable && !device.isConnected && !device.isResolved)
  }

  @Test("A later advertisement adds properties and removes none")
  func advertised() {
    var inventory = Self.withPhone()
    let changes = inventory.apply(
      Self.changed(Self.phone, "org.bluez.Device1", [("ManufacturerData", .variants([(0x59, .bytes([7]))]))]))
    guard case .advertised(let device)? = changes.first else {
      Issue.record("\(changes)")
      return
    }
    #expect(device.advertised.manufacturerData == [0x4C: [1, 2], 0x59: [7]])
    #expect(device.advertised.name == "Heart")
  }

  @Test("The end of a scan is not an advertisement, and removes the signal strength")
  func endOfScan() {
    var inventory = Self.withPhone()
    #expect(inventory.apply(Self.changed(Self.phone, "org.bluez.Device1", [], removed: ["RSSI", "TxPower"])).isEmpty)
    #expect(inventory.devices[Self.phone]?.rssi == nil)
    #expect(inventory.devices[Self.phone]?.advertised.txPower == nil)
  }

  @Test("Connections, services and disconnections are reported in order")
  func connection() {
    var inventory = Self.withPhone()
    func changes(_ properties: [(String, DBusValue)]) -> [String] {
      inventory.apply(Self.changed(Self.phone, "org.bluez.Device1", properties)).map { change in
        switch change {
        case .connected: "connected"
        case .resolved: "resolved"
        case .disconnected: "disconnected"
        default: "\(change)"
        }
      }
    }
    #expect(changes([("Connected", .boolean(true))]) == ["connected"])
    #expect(changes([("Connected", .boolean(true))]) == [])
    #expect(changes([("ServicesResolved", .boolean(true))]) == ["resolved"])
    #expect(inventory.devices[Self.phone]?.isForgettable == false)
    #expect(changes([("ServicesResolved", .boolean(false)), ("Connected", .boolean(false))]) == ["disconnected"])
  }

  @Test("Services hold their characteristics and descriptors in the order of their handles")
  func attributes() {
    var inventory = Self.withPhone()
    for signal in [
      Self.added(
        Self.location, "org.bluez.GattCharacteristic1",
        [
          ("UUID", .string("00002a38" + Self.base)), ("Flags", .strings(["read", "encrypt-read"])),
        ]),
      Self.added(
        Self.measurement.appending("desc0103"), "org.bluez.GattDescriptor1",
        [
          ("UUID", .string("00002902" + Self.base))
        ]),
      Self.added(
        Self.service, "org.bluez.GattService1",
        [
          ("UUID", .string("0000180d" + Self.base)), ("Primary", .boolean(true)),
        ]),
      Self.added(
        Self.measurement, "org.bluez.GattCharacteristic1",
        [
          ("UUID", .string("00002a37" + Self.base)),
          ("Flags", .strings(["notify", "indicate", "write", "write-without-response"])),
        ]),
    ] {
      let isService = signal.arguments.first?.path == Self.service
      #expect(inventory.apply(signal) == (isService ? [.servicesChanged(device: Self.phone)] : []))
    }
    let services = inventory.services(of: Self.phone)
    #expect(services.map { "\($0.uuid)" } == ["180D"])
    #expect(services.first?.characteristics.map { "\($0.uuid)" } == ["2A37", "2A38"])
    #expect(
      services.first?.characteristics.map(\.properties) == [
        [.notify, .indicate, .write, .writeWithoutResponse], .read,
      ])
    #expect(services.first?.characteristics.first?.descriptors.map { "\($0.uuid)" } == ["2902"])
    #expect(
      inventory.apply(
        Self.changed(Self.measurement, "org.bluez.GattCharacteristic1", [("Value", .bytes([6, 80]))]))
        == [.value(characteristic: Self.measurement, [6, 80])])
    _ = inventory.apply(Self.removed(Self.location, "org.bluez.GattCharacteristic1"))
    #expect(inventory.services(of: Self.phone).first?.characteristics.count == 1)
    #expect(
      inventory.apply(Self.changed(Self.location, "org.bluez.GattCharacteristic1", [("Value", .bytes([1]))])).isEmpty)
  }

  @Test("A connected device that bluetoothd forgets is disconnected first")
  func vanished() {
    var inventory = Self.withPhone()
    _ = inventory.apply(Self.changed(Self.phone, "org.bluez.Device1", [("Connected", .boolean(true))]))
    let changes = inventory.apply(Self.removed(Self.phone, "org.bluez.Device1"))
    guard case .disconnected? = changes.first, case .vanished? = changes.last, changes.count == 2 else {
      Issue.record("\(changes)")
      return
    }
    #expect(inventory.devices.isEmpty)
  }

  @Test("GetManagedObjects reports known devices and adapters")
  func managedObjects() throws {
    let properties = DBusType.dictionary(key: .string, value: .variant)
    func interfaces(_ name: String, _ values: [(String, DBusValue)]) throws -> DBusValue {
      try .dictionary(key: .string, value: properties, [(.string(name), .properties(values))])
    }
    let inventory = CentralInventory(
      managedObjects: try .dictionary(
        key: .objectPath, value: .dictionary(key: .string, value: properties),
        [
          (.objectPath(Self.hci0), try interfaces("org.bluez.Adapter1", [("Powered", .boolean(true))])),
          (.objectPath(Self.phone), try interfaces("org.bluez.Device1", Self.device)),
        ]))
    #expect(inventory.adapter(named: nil)?.isPowered == true)
    #expect(inventory.devices[Self.phone]?.advertised.name == "Heart")
  }
}
