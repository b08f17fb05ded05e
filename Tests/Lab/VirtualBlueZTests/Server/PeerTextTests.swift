import BleperaAir
import BleperaBlueZProtocol
import BleperaBluetooth
import BleperaDBus
import BleperaHost
import BleperaLoop
import BleperaVirtualBlueZ
import BusTesting
import TestSupport
import Testing

@Suite("What a peer is named, on the bus", .timeLimit(.minutes(5)))
struct PeerTextTests {
  @Test("Each program gets every device, whatever it is named")
  func names() async throws {
    let bus = try PrivateBus()
    let air = SharedAir(loop: TestLoops.first, conditions: AirConditions(latency: .milliseconds(1), interval: .zero))
    let server = try await BlueZServer.open(bus.address, on: TestLoops.first, options: .adapters(1), air: air)
    var devices: [(text: PeerText, path: ObjectPath)] = []
    for text in PeerText.all {
      let adapter = await air.addAdapter(named: String(decoding: text.bytes, as: UTF8.self))
      let address = try #require(await air.address(of: adapter))
      let data: [UInt8] = [2, ADType.flags, 6, UInt8(text.bytes.count + 1), ADType.completeLocalName] + text.bytes
      let id = await air.newAdvertisement()
      let packets = AdvertisingPackets(data: data, interval: .milliseconds(20))
      await air.run(.linkLayer(adapter, .advertise(id, packets)))
      devices.append((text, ObjectPath("/org/bluez/hci0").appending(address.pathElement)))
    }
    // The one that discovers, and one that comes later.
    let programs = [
      try await DBusConnection.open(bus.address, on: TestLoops.second),
      try await DBusConnection.open(bus.address, on: TestLoops.second),
    ]
    func call(
      _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ arguments: [DBusValue] = [], by index: Int
    ) async throws -> DBusValue? {
      try await programs[index].call(
        MethodCall(
          destination: BlueZName.bus, path: path, interface: interface, member: member, arguments: arguments)
      ).first
    }
    func expectName(_ name: String, of path: ObjectPath) async throws {
      let property = [DBusValue.string(BlueZName.device.rawValue), .string("Name")]
      // The property does not exist before its value is known.
      while (try? await call(path, .properties, "Get", property, by: 1))?.unwrapped != .string(name) {
        try await TestLoops.second.sleep(for: .milliseconds(20))
      }
    }
    _ = try await call("/org/bluez/hci0", BlueZName.adapter, "StartDiscovery", by: 0)
    while try await call(.root, .objectManager, "GetManagedObjects", by: 1)?.dictionary?.entries
      .filter({ entry in devices.contains { $0.path == entry.key.path } }).count != devices.count
    {
      try await TestLoops.second.sleep(for: .milliseconds(20))
    }
    for (text, path) in devices {
      if let name = text.advertised, !name.isEmpty { try await expectName(name, of: path) }
      _ = try await call(path, BlueZName.device, "Connect", by: 1)
      if !text.name.isEmpty { try await expectName(text.name, of: path) }
      _ = try await call(path, BlueZName.device, "Disconnect", by: 1)
    }
    for program in programs { await program.close() }
    await server.close()
  }
}
