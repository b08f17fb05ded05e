import BleperaBlueZProtocol
import BleperaBluetooth
import BleperaDBus
import Testing

@testable import BleperaBlueZ

@Suite("Services as bluetoothd reads them")
struct GATTApplicationTests {
  private static let root: ObjectPath = "/org/blepera/app1"

  private static let battery = ServiceDefinition(
    uuid: BluetoothUUID(0x180F as UInt16), isPrimary: false,
    characteristics: [
      CharacteristicDefinition(
        uuid: BluetoothUUID(0x2A19 as UInt16), properties: [.read, .notify], permissions: [.readable],
        descriptors: [DescriptorDefinition(uuid: DescriptorDefinition.userDescription, value: [65])])
    ])
  private static let lock = ServiceDefinition(
    uuid: BluetoothUUID("1FA2FD8A-17E0-4D3B-AF45-305DA6130E39") ?? BluetoothUUID(0 as UInt16),
    includedServices: [battery.uuid],
    characteristics: [
      CharacteristicDefinition(
        uuid: BluetoothUUID(0x2A3A as UInt32), properties: [.write], permissions: [.writeEncryptionRequired]),
      CharacteristicDefinition(
        uuid: BluetoothUUID(0x2A3A as UInt32), properties: [.indicateEncryptionRequired], permissions: []),
    ])

  private static func application(_ definitions: [ServiceDefinition]) throws -> GATTApplication {
    var allocator = HandleAllocator()
    var services: [GATTApplication.Service] = []
    for definition in definitions {
      let included = services.filter { definition.includedServices.contains($0.definition.uuid) }
      services.append(
        GATTApplication.Service(
          definition: definition, handles: try allocator.allocate(for: definition),
          included: included.map(\.handles.start)))
    }
    return GATTApplication(root: root, services: services)
  }

  /// Objects in the order of the answer, an interface and its properties each.
  @Test("GetManagedObjects returns every object, an included service before the service that includes it")
  func managedObjects() throws {
    let application = try Self.application([Self.battery, Self.lock])
    let call = MethodCall(
      destination: nil, path: Self.root, interface: .objectManager, member: "GetManagedObjects")
    guard case .reply(let answer)? = application.tree.respond(to: call), case .dictionary(let objects)? = answer.first
    else {
      Issue.record("no answer")
      return
    }
    let service = "'Primary': <false>, 'Includes': <@ao []>, 'Handle': <uint16 256>"
    let lines = objects.entries.map {
      "\($0.key.path?.rawValue.dropFirst(Self.root.rawValue.utf8.count) ?? "") \($0.value)"
    }
    #expect(
      lines == [
        "/service0 {'org.bluez.GattService1': {'UUID': <'0000180f-0000-1000-8000-00805f9b34fb'>, \(service)}}",
        "/service0/char0 {'org.bluez.GattCharacteristic1': {'UUID': <'00002a19-0000-1000-8000-00805f9b34fb'>, "
          + "'Service': <objectpath '/org/blepera/app1/service0'>, 'Flags': <['read', 'notify']>, "
          + "'Handle': <uint16 258>, 'NotifyAcquired': <false>}}",
        "/service0/char0/desc0 {'org.bluez.GattDescriptor1': {'UUID': <'00002901-0000-1000-8000-00805f9b34fb'>, "
          + "'Characteristic': <objectpath '/org/blepera/app1/service0/char0'>, 'Flags': <['read']>, "
          + "'Handle': <uint16 260>}}",
        "/service1 {'org.bluez.GattService1': {'UUID': <'1fa2fd8a-17e0-4d3b-af45-305da6130e39'>, 'Primary': <true>, "
          + "'Includes': <[objectpath '/org/blepera/app1/service0']>, 'Handle': <uint16 261>}}",
        "/service1/char0 {'org.bluez.GattCharacteristic1': {'UUID': <'00002a3a-0000-1000-8000-00805f9b34fb'>, "
          + "'Service': <objectpath '/org/blepera/app1/service1'>, 'Flags': <['write', 'encrypt-write']>, "
          + "'Handle': <uint16 264>}}",
        "/service1/char1 {'org.bluez.GattCharacteristic1': {'UUID': <'00002a3a-0000-1000-8000-00805f9b34fb'>, "
          + "'Service': <objectpath '/org/blepera/app1/service1'>, 'Flags': <['indicate', 'encrypt-indicate']>, "
          + "'Handle': <uint16 266>, 'NotifyAcquired': <false>}}",
      ])
  }

  @Test("A characteristic has NotifyAcquired where a central can subscribe, and only there")
  func notifyAcquired() throws {
    for bits in 1..<0x400 as Range<UInt16> {
      let properties = CharacteristicProperties(rawValue: bits)
      let service = ServiceDefinition(
        uuid: BluetoothUUID(0x180D as UInt16),
        characteristics: [
          CharacteristicDefinition(uuid: BluetoothUUID(0x2A37 as UInt16), properties: properties, permissions: [])
        ])
      let application = try Self.application([service])
      let handles = application.services[0].handles
      let path = try #require(application.paths[handles.characteristics[0].value])
      let value = application.tree.value(path, BlueZName.gattCharacteristic, "NotifyAcquired")
      #expect(value == (properties.isDisjoint(with: .subscribable) ? nil : .boolean(false)), "\(properties)")
    }
  }

  @Test("Every attribute has one path, and every path one attribute")
  func paths() throws {
    let application = try Self.application([Self.battery, Self.lock])
    let handles = application.services.flatMap(\.handles.characteristics).flatMap { [$0.value] + $0.descriptors }
    #expect(handles.count == 4 && Set(application.paths.keys) == Set(handles))
    for handle in handles { #expect(application.paths[handle].flatMap { application.handle(at: $0) } == handle) }
    #expect(Set(application.paths.values).count == handles.count)
    #expect(application.tree.paths.filter { application.handle(at: $0) != nil }.count == handles.count)
    for path in ["/", Self.root, Self.root.appending("service0"), Self.root.appending("service9")] {
      #expect(application.handle(at: path) == nil, "\(path)")
    }
  }

  private static let calls: [(String, InterfaceName, MemberName, [DBusValue], String)] = [
    ("/service0/char0", BlueZName.gattCharacteristic, "ReadValue", [.properties([])], "ours"),
    ("/service0/char0", BlueZName.gattCharacteristic, "WriteValue", [.bytes([1]), .properties([])], "ours"),
    ("/service0/char0", BlueZName.gattCharacteristic, "AcquireNotify", [.properties([])], "ours"),
    ("/service0/char0", BlueZName.gattCharacteristic, "StartNotify", [], "ours"),
    ("/service0/char0", BlueZName.gattCharacteristic, "StopNotify", [], "ours"),
    ("/service0/char0", BlueZName.gattCharacteristic, "Confirm", [], "ours"),
    ("/service0/char0/desc0", BlueZName.gattDescriptor, "ReadValue", [.properties([])], "ours"),
    ("/service0/char0/desc0", BlueZName.gattDescriptor, "AcquireNotify", [.properties([])], "UnknownMethod"),
    // A method that would leave us without an index to look at.
    ("/service0/char0", BlueZName.gattCharacteristic, "ReadValue", [], "InvalidArgs"),
    ("/service0/char0", BlueZName.gattCharacteristic, "WriteValue", [.bytes([1])], "InvalidArgs"),
    ("/service0/char0", BlueZName.gattCharacteristic, "WriteValue", [.string("x"), .properties([])], "InvalidArgs"),
    // Offered to nobody: its errors would be lost.
    ("/service0/char0", BlueZName.gattCharacteristic, "AcquireWrite", [.properties([])], "UnknownMethod"),
    ("/service0", BlueZName.gattCharacteristic, "ReadValue", [.properties([])], "UnknownInterface"),
    ("/service7", BlueZName.gattCharacteristic, "ReadValue", [.properties([])], "UnknownObject"),
    (
      "/service0/char0", .properties, "Set",
      [.string("org.bluez.GattCharacteristic1"), .string("Handle"), .variant(.uint16(5))], "taken"
    ),
  ]

  @Test("Calls of bluetoothd are handled if their signature is right", arguments: calls)
  func respond(path: String, interface: InterfaceName, member: MemberName, arguments: [DBusValue], outcome: String)
    throws
  {
    let application = try Self.application([Self.battery])
    let path = try #require(ObjectPath(Self.root.rawValue + path))
    let call = MethodCall(destination: nil, path: path, interface: interface, member: member, arguments: arguments)
    let found =
      switch application.tree.respond(to: call) {
      case nil: "ours"
      case .set: "taken"
      case .reply: "answered"
      case .refuse(let error): error.name.rawValue.split(separator: ".").last.map(String.init) ?? ""
      }
    #expect(found == outcome)
  }
}
