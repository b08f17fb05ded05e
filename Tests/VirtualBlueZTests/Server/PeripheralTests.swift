import BlueZ
import BlueZContract
import BusTesting
import DBus
import EventLoop
import GATT
import Testing

@testable import VirtualBlueZ

@Suite("blepera's own peripheral on the virtual radio", .timeLimit(.minutes(1)))
struct PeripheralTests {
  private static let heartRate = BluetoothUUID(0x180D as UInt16)
  private static let measurement = "00002a37-0000-1000-8000-00805f9b34fb"
  private static let control = "00002a39-0000-1000-8000-00805f9b34fb"

  private static let service = ServiceDefinition(
    uuid: heartRate,
    characteristics: [
      CharacteristicDefinition(
        uuid: BluetoothUUID(0x2A37 as UInt16), properties: [.read, .notify], permissions: .readable),
      CharacteristicDefinition(
        uuid: BluetoothUUID(0x2A39 as UInt16), properties: [.read, .write, .indicate],
        permissions: [.readable, .writeable],
        descriptors: [DescriptorDefinition(uuid: DescriptorDefinition.userDescription, value: Array("x".utf8))]),
    ])

  /// A peripheral that is published and advertises, on hci0.
  private static func run(
    _ behavior: DaemonBehavior = DaemonBehavior(minor: 82),
    _ body: (BlueZContract.Stage, Peripheral, Mailbox<PeripheralEvent>) async throws -> Void
  ) async throws {
    try await VirtualRadio(behavior).stage { scene async throws in
      let events = Mailbox<PeripheralEvent>()
      var options = Peripheral.Options()
      options.adapter = "hci0"
      let peripheral = Peripheral(connection: scene.app, options: options) { events.put($0) }
      try await peripheral.start()
      var allocator = HandleAllocator()
      let handles = try allocator.allocate(for: service)
      await peripheral.publish(0, [.init(definition: service, handles: handles)])
      await peripheral.advertise([
        AdvertisementContent(
          localName: "phone", serviceUUIDs: [heartRate], interval: .init(minimum: 20, maximum: 20))
      ])
      try await events.wait { if case .advertising = $0 { true } else { nil } }
      try await body(scene, peripheral, events)
      await peripheral.shutDown()
    }
  }

  @Test("It is found from another adapter, with its name, services and signal strength", arguments: [66, 82])
  func found(minor: Int) async throws {
    try await Self.run(DaemonBehavior(minor: minor)) { scene, _, _ in
      try await scene.ask(BlueZContract.Stage.clientAdapter, BluezNames.adapter, "StartDiscovery")
      try await scene.wait(for: "Name", of: scene.phone, toBe: .string("phone"))
      let device = try await scene.ask(
        scene.phone, .properties, "GetAll", [.string(BluezNames.device.rawValue)]
      ).first?.asProperties
      #expect(device?["UUIDs"] == .strings([Self.heartRate.longDescription]))
      #expect(device?["RSSI"] == .int16(-50))
      #expect(device?["Address"] == .string("00:AA:01:00:00:00"))
      #expect(device?["Connected"] == .boolean(false))
    }
  }

  @Test("A central reads, writes, subscribes, is notified and disconnects", arguments: [66, 82])
  func whole(minor: Int) async throws {
    try await Self.run(DaemonBehavior(minor: minor)) { scene, peripheral, events in
      try await scene.connect()
      let device = try await events.wait { if case .connected(let device) = $0 { device } else { nil } }
      #expect(device.path == scene.central)
      let path = try await scene.object(BluezNames.characteristic, Self.measurement)
      #expect(path.lastElement == "char0101")
      #expect(try await scene.get(path, BluezNames.characteristic, "Flags") == .strings(["read", "notify"]))

      async let value = scene.ask(path, BluezNames.characteristic, "ReadValue", [.properties([])])
      let read = try await events.wait { if case .read(let request) = $0 { request } else { nil } }
      #expect(read.mtu == 517)
      #expect(read.device.path == scene.central)
      await peripheral.answer(read.id, .success([0, 60]))
      #expect(try await value == [.bytes([0, 60])])

      let control = try await scene.object(BluezNames.characteristic, Self.control)
      async let written = scene.ask(
        control, BluezNames.characteristic, "WriteValue", [.bytes([1]), .properties([])])
      let write = try await events.wait { event -> (AttributeRequest, [UInt8])? in
        if case .write(let request, let value) = event { (request, value) } else { nil }
      }
      #expect(write.1 == [1])
      await peripheral.answer(write.0.id, .success([]))
      #expect(try await written == [])

      try await scene.ask(path, BluezNames.characteristic, "StartNotify")
      let (address, subscriber) = try await events.wait { event -> (AttributeAddress, RemoteDevice)? in
        if case .subscribed(let address, let device) = event { (address, device) } else { nil }
      }
      #expect(subscriber.path == scene.central)
      try await peripheral.notify(address, [0, 61])
      try await scene.wait(for: "Value", of: path, toBe: .bytes([0, 61]))

      try await scene.ask(scene.phone, BluezNames.device, "Disconnect")
      try await events.wait { if case .disconnected = $0 { true } else { nil } }
      try await scene.wait(for: "Connected", of: scene.phone, toBe: .boolean(false))
    }
  }

  @Test("An error of the peripheral is the central's, by bluetoothd's two tables")
  func errors() async throws {
    try await Self.run { scene, peripheral, events in
      try await scene.connect()
      let path = try await scene.object(BluezNames.characteristic, Self.measurement)
      let table: [(ATTError, String)] = [
        (ATTError(rawValue: 0x81), "org.bluez.Error.Failed: Operation failed with ATT error: 0x81"),
        (.readNotPermitted, "org.bluez.Error.NotPermitted: Read not permitted"),
        (.requestNotSupported, "org.bluez.Error.NotSupported: Operation is not supported"),
        (.insufficientAuthorization, "org.bluez.Error.NotAuthorized: Operation Not Authorized"),
        (.insufficientResources, "org.bluez.Error.Failed: Operation failed with ATT error: 0x0e"),
      ]
      for (error, expected) in table {
        async let refusal = scene.refusal(path, BluezNames.characteristic, "ReadValue", [.properties([])])
        let read = try await events.wait { if case .read(let request) = $0 { request } else { nil } }
        await peripheral.answer(read.id, .failure(error))
        #expect(await refusal == expected)
      }
    }
  }

  @Test("Indications are confirmed, and unsubscribing is heard")
  func indications() async throws {
    try await Self.run { scene, peripheral, events in
      try await scene.connect()
      let path = try await scene.object(BluezNames.characteristic, Self.control)
      try await scene.ask(path, BluezNames.characteristic, "StartNotify")
      let address = try await events.wait { if case .subscribed(let address, _) = $0 { address } else { nil } }
      try await peripheral.notify(address, [5])
      try await scene.wait(for: "Value", of: path, toBe: .bytes([5]))
      try await events.wait { if case .confirmed = $0 { true } else { nil } }
      try await scene.ask(path, BluezNames.characteristic, "StopNotify")
      try await events.wait { if case .unsubscribed = $0 { true } else { nil } }
    }
  }

  @Test("Values come by a descriptor where the central asks for one")
  func acquired() async throws {
    try await Self.run { scene, peripheral, events in
      try await scene.connect()
      let path = try await scene.object(BluezNames.characteristic, Self.measurement)
      let answer = try await scene.ask(path, BluezNames.characteristic, "AcquireNotify", [.properties([])])
      let descriptor = try #require(answer.first?.fileDescriptor)
      #expect(answer.last == .uint16(517))
      let socket = SequencedSocket(descriptor)
      let values = Mailbox<[UInt8]>()
      let source = socket.watch(on: TestLoops.second) {
        values.put($0)
      } end: {
      }
      let address = try await events.wait { if case .subscribed(let address, _) = $0 { address } else { nil } }
      for number: UInt8 in 1...3 { try await peripheral.notify(address, [number]) }
      #expect(try await values.next(3) == [[1], [2], [3]])
      source.cancel()
    }
  }

  @Test("Pairing asks the peripheral's agent, and both are then paired")
  func pairing() async throws {
    try await Self.run { scene, _, events in
      try await scene.connect()
      try await scene.ask(scene.phone, BluezNames.device, "Pair")
      #expect(try await scene.get(scene.phone, BluezNames.device, "Paired") == .boolean(true))
      #expect(try await scene.get(scene.central, BluezNames.device, "Paired") == .boolean(true))
      try await events.wait { if case .paired = $0 { true } else { nil } }
      #expect(
        await scene.refusal(scene.phone, BluezNames.device, "Pair")
          == "org.bluez.Error.AuthenticationFailed: Authentication Failed")
    }
  }

  @Test("An application that goes leaves the notifications of those that stay alone")
  func twoApplications() async throws {
    try await Self.run { scene, peripheral, events in
      var allocator = HandleAllocator()
      let other = ServiceDefinition(uuid: BluetoothUUID(0x180F as UInt16), characteristics: [])
      _ = try allocator.allocate(for: Self.service)
      let handles = try allocator.allocate(for: other)
      // The one that goes has come before the one that stays.
      await peripheral.unpublish(0)
      await peripheral.publish(1, [.init(definition: other, handles: handles)])
      try await events.wait { if case .published(1) = $0 { true } else { nil } }
      var again = HandleAllocator()
      await peripheral.publish(2, [.init(definition: Self.service, handles: try again.allocate(for: Self.service))])
      try await events.wait { if case .published(2) = $0 { true } else { nil } }
      await peripheral.unpublish(1)
      try await events.wait { if case .unpublished(1) = $0 { true } else { nil } }
      try await scene.connect()
      let path = try await scene.object(BluezNames.characteristic, Self.measurement)
      try await scene.ask(path, BluezNames.characteristic, "StartNotify")
      let address = try await events.wait { if case .subscribed(let address, _) = $0 { address } else { nil } }
      #expect(address.application == 2)
      try await peripheral.notify(address, [7])
      try await scene.wait(for: "Value", of: path, toBe: .bytes([7]))
    }
  }

  @Test("A second central finds it while the first is connected, because it advertises again")
  func secondCentral() async throws {
    try await Self.run { scene, _, events in
      try await scene.connect()
      let adapter: ObjectPath = "/org/bluez/hci2"
      let phone: ObjectPath = "/org/bluez/hci2/dev_00_AA_01_00_00_00"
      try await scene.ask(adapter, BluezNames.adapter, "StartDiscovery")
      try await scene.wait(for: "Name", of: phone, toBe: .string("phone"))
      try await scene.ask(phone, BluezNames.device, "Connect")
      for _ in 0..<2 { try await events.wait { if case .connected = $0 { true } else { nil } } }
      #expect(try await scene.get(scene.phone, BluezNames.device, "Connected") == .boolean(true))
    }
  }

  @Test("It is on the air again after a restart of the daemon")
  func restart() async throws {
    try await Self.run { scene, _, events in
      try await scene.radio.restart(isCrash: false)
      try await events.wait { event -> Bool? in if case .radio(.noDaemon) = event { true } else { nil } }
      try await events.wait { if case .advertising = $0 { true } else { nil } }
    }
  }

  @Test("Power off ends the connection, and power on brings the peripheral back on the air")
  func power() async throws {
    try await Self.run { scene, _, events in
      try await scene.connect()
      for isOn in [false, true] {
        try await scene.ask(
          BlueZContract.Stage.appAdapter, .properties, "Set",
          [.string(BluezNames.adapter.rawValue), .string("Powered"), .variant(.boolean(isOn))])
      }
      try await events.wait { if case .disconnected = $0 { true } else { nil } }
      try await events.wait { if case .advertising = $0 { true } else { nil } }
    }
  }
}
