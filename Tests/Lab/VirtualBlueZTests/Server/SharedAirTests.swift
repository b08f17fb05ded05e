import BleperaBlueZProtocol
import BleperaBluetooth
import BleperaDBus
import BleperaHost
import BleperaHostRadio
import BleperaLoop
import BleperaRadio
import BlueZContract
import BusTesting
import Synchronization
import Testing

@testable import BleperaAir
@testable import BleperaVirtualBlueZ

@Suite("A phone's radio on the air of a bus", .timeLimit(.minutes(5)))
struct SharedAirTests {
  @Test("A program finds the phone, connects to it and reads")
  func found() async throws {
    let bus = try PrivateBus()
    let air = SharedAir(loop: TestLoops.first, conditions: AirConditions(latency: .milliseconds(1), interval: .zero))
    let server = try await BlueZServer.open(bus.address, on: TestLoops.first, options: .adapters(1), air: air)
    let radio = await air.makePhone()
    let central = try await DBusConnection.open(bus.address, on: TestLoops.second)
    let signals = Mailbox<Signal>()
    _ = try await central.subscribe(to: MatchRule(sender: BlueZName.bus)) { signal, _ in signals.put(signal) }
    let device: ObjectPath = "/org/bluez/hci0/dev_00_AA_01_00_00_01"
    func call(_ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ arguments: [DBusValue] = [])
      async throws -> [DBusValue]
    {
      try await central.call(
        MethodCall(
          destination: BlueZName.bus, path: path, interface: interface, member: member, arguments: arguments))
    }
    _ = try await call("/org/bluez/hci0", BlueZName.adapter, "StartDiscovery")
    try await signals.wait { $0.member == "InterfacesAdded" && $0.arguments.first?.path == device ? true : nil }
    _ = try await call(device, BlueZName.device, "Connect")
    let characteristic = device.appending("service0100").appending("char0101")
    try await signals.wait { $0.member == "InterfacesAdded" && $0.arguments.first?.path == characteristic ? true : nil }
    let value = try await call(characteristic, BlueZName.gattCharacteristic, "ReadValue", [.properties([])])
    #expect(value == [.bytes([7])])
    await radio.shutDown()
    await central.close()
    await server.close()
    let adapters = await air.air.adapters.keys
    #expect(adapters == [AdapterID(1)])
  }

  @Test("A private phone's device has a random address, and its identity address once paired, at the same path")
  func paired() async throws {
    let bus = try PrivateBus()
    let air = SharedAir(loop: TestLoops.first, conditions: AirConditions(latency: .milliseconds(1), interval: .zero))
    var options = BlueZServer.Options.adapters(1)
    options.agrees = true
    let server = try await BlueZServer.open(bus.address, on: TestLoops.first, options: options, air: air)
    let radio = await air.makePhone(addressRotation: .seconds(900))
    let current = try #require(await air.address(of: AdapterID(1)))
    let device = ObjectPath("/org/bluez/hci0").appending(current.pathElement)
    let connection = try await DBusConnection.open(bus.address, on: TestLoops.second)
    let signals = Mailbox<Signal>()
    _ = try await connection.subscribe(to: MatchRule(sender: BlueZName.bus)) { signal, _ in signals.put(signal) }
    func call(_ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ arguments: [DBusValue] = [])
      async throws -> [DBusValue]
    {
      try await connection.call(
        MethodCall(
          destination: BlueZName.bus, path: path, interface: interface, member: member, arguments: arguments))
    }
    func property(_ name: String) async throws -> DBusValue? {
      try await call(device, .properties, "Get", [.string(BlueZName.device.rawValue), .string(name)]).first?.unwrapped
    }
    _ = try await call("/org/bluez/hci0", BlueZName.adapter, "StartDiscovery")
    try await signals.wait { $0.member == "InterfacesAdded" && $0.arguments.first?.path == device ? true : nil }
    #expect(try await property("Address") == .string(current.description))
    #expect(try await property("AddressType") == .string("random"))
    _ = try await call(device, BlueZName.device, "Pair")
    #expect(try await property("Address") == .string("00:AA:01:00:00:01"))
    #expect(try await property("AddressType") == .string("public"))
    #expect(try await property("Paired") == .boolean(true))
    let characteristic = device.appending("service0100").appending("char0101")
    try await signals.wait { $0.member == "InterfacesAdded" && $0.arguments.first?.path == characteristic ? true : nil }
    // The advertisements that follow are the device's.
    _ = try await call(device, BlueZName.device, "Disconnect")
    let before = await air.air.hosts[AdapterID(0)]?.bonds.keys.sorted()
    #expect(before == [DeviceAddress(bits: 0x00AA_0100_0001)])
    _ = try await call(device, BlueZName.device, "Connect")
    let value = try await call(characteristic, BlueZName.gattCharacteristic, "ReadValue", [.properties([])])
    #expect(value == [.bytes([7])])
    await #expect(throws: DBusFailure.self) { try await call(device, BlueZName.device, "Pair") }
    let devices = await server.devices.keys.map(\.address)
    #expect(devices == [DeviceAddress(bits: 0x00AA_0100_0001)])
    _ = try await call("/org/bluez/hci0", BlueZName.adapter, "RemoveDevice", [.objectPath(device)])
    let after = await air.air.hosts[AdapterID(0)]?.bonds.keys.sorted()
    #expect(after == [])
    await radio.shutDown()
    await connection.close()
    await server.close()
  }

  static let lengths: [(minor: Int, length: Int)] = [(66, 510), (69, 512), (82, 512)]

  @Test("The longest write is 510 bytes before 5.69 and 512 since", arguments: lengths)
  func longestWrite(minor: Int, length: Int) {
    #expect(StackBehavior(DaemonBehavior(minor: minor)).longestWrite == length)
  }

  @Test("On 5.74 every characteristic needs a handle of its own", arguments: [73, 74, 76])
  func explicitHandles(minor: Int) async throws {
    try await VirtualRadio(DaemonBehavior(minor: minor)).stage { scene async throws in
      let program = Program(connection: scene.app)
      await program.export(Program.objects(flags: ["read"]))
      #expect((await program.register() == nil) == (minor != 74))
    }
  }
}

extension SharedAir {
  /// A phone that advertises and answers every read with 7.
  fileprivate func makePhone(addressRotation: Duration? = nil) -> HostRadio {
    let phone = Phone()
    let adapter = addAdapter(named: "phone", addressRotation: addressRotation)
    let radio = HostRadio(adapter: hosted(adapter)) { phone.receive($0) }
    phone.radio.withLock { $0 = radio }
    let definition = ServiceDefinition(
      uuid: BluetoothUUID(0x180D as UInt16),
      characteristics: [
        CharacteristicDefinition(uuid: BluetoothUUID(0x2A37 as UInt16), properties: .read, permissions: .readable)
      ])
    var allocator = HandleAllocator()
    guard let handles = try? allocator.allocate(for: definition) else { preconditionFailure("there is room") }
    radio.assumeIsolated { radio in
      radio.start()
      radio.publish([RadioService(definition: definition, handles: handles)])
      radio.advertise(
        RadioAdvertisement(
          advertisingData: AdvertisingData([.flags(.iPhone)]), scanResponse: AdvertisingData(),
          interval: AdvertisingInterval(clamping: 20)))
    }
    return radio
  }
}

/// Answers every read with 7.
private final class Phone: Sendable {
  let radio = Mutex<HostRadio?>(nil)

  func receive(_ event: RadioEvent) {
    guard case .read(let request) = event, let radio = radio.withLock({ $0 }) else { return }
    radio.assumeIsolated { _ = $0.respond(to: request.id, .success([7])) }
  }
}
