import BleperaBlueZProtocol
import BleperaBluetooth
import BleperaDBus
import BleperaLoop
import BleperaRadio
import BlueZContract
import BusTesting
import Synchronization
import Testing

@testable import BleperaBlueZ
@testable import BleperaVirtualBlueZ

@Suite("The central role of a phone over the virtual org.bluez", .timeLimit(.minutes(5)))
struct BlueZCentralTests {
  private static let service = ServiceDefinition(
    uuid: BluetoothUUID(0x180D as UInt16),
    characteristics: [
      CharacteristicDefinition(
        uuid: BluetoothUUID(0x2A37 as UInt16), properties: [.read, .notify], permissions: .readable),
      CharacteristicDefinition(
        uuid: BluetoothUUID(0x2A39 as UInt16), properties: [.read, .write],
        permissions: [.readable, .writeable],
        descriptors: [DescriptorDefinition(uuid: DescriptorDefinition.userDescription, value: Array("x".utf8))]),
      CharacteristicDefinition(
        uuid: BluetoothUUID(0x2A38 as UInt16), properties: .writeWithoutResponse, permissions: .writeable),
    ])

  private static let advertisement = RadioAdvertisement(
    advertisingData: AdvertisingData([
      .flags(.iPhone), .serviceUUIDs(UUIDList.lists(of: [service.uuid])[0], complete: true),
      .completeLocalName("strap"),
    ]), scanResponse: AdvertisingData(), interval: AdvertisingInterval(clamping: 20))

  /// A peripheral on hci0 that does not advertise yet, and the phone on hci1.
  private struct Scene {
    let stage: BlueZContract.Stage
    let peripheral: BlueZRadio
    let handles: ServiceHandles
    let served = Mailbox<RadioEvent>()
    let phone: BlueZRadio
    let events = Mailbox<RadioEvent>()
    let strap: PeripheralID

    init(_ stage: BlueZContract.Stage) async throws {
      self.stage = stage
      strap = PeripheralID(rawValue: stage.phone.deviceAddress ?? "")
      var allocator = HandleAllocator()
      handles = try allocator.allocate(for: BlueZCentralTests.service)
      var options = BlueZRadio.Options()
      options.adapter = "hci0"
      peripheral = BlueZRadio(connection: stage.app, options: options) { [served] in served.put($0) }
      options.adapter = "hci1"
      phone = BlueZRadio(connection: stage.client, options: options) { [events] in events.put($0) }
      try await peripheral.start()
      try await phone.start()
      await peripheral.publish([RadioService(definition: BlueZCentralTests.service, handles: handles)])
      try await served.wait { if case .published = $0 { true } else { nil } }
      try await events.wait { if case .state(.poweredOn) = $0 { true } else { nil } }
    }

    func connect() async throws -> RadioPeripheral {
      await phone.connect(to: [strap], listening: ScanWindow())
      return try await events.wait { if case .peripheralConnected(let peripheral) = $0 { peripheral } else { nil } }
    }

    func perform(_ procedure: GATTProcedure, _ number: Int) async throws -> Result<ProcedureAnswer, ProcedureFailure> {
      await phone.perform(procedure, as: PeripheralOperationID(rawValue: number), at: strap)
      return try await result(number)
    }

    func result(_ number: Int) async throws -> Result<ProcedureAnswer, ProcedureFailure> {
      let id = PeripheralOperationID(rawValue: number)
      return try await events.wait { if case .completed(id, let result) = $0 { result } else { nil } }
    }
  }

  private static func run(_ minor: Int = 82, _ body: (Scene) async throws -> Void) async throws {
    try await VirtualRadio(DaemonBehavior(minor: minor)).stage { stage async throws in
      let scene = try await Scene(stage)
      try await body(scene)
      await scene.phone.shutDown()
      await scene.peripheral.shutDown()
    }
  }

  @Test("It receives what is advertised while it scans", arguments: [66, 82])
  func scans(minor: Int) async throws {
    try await Self.run(minor) { scene in
      await scene.phone.scan(ScanWindow())
      await scene.peripheral.advertise(Self.advertisement)
      let received = try await scene.events.wait { event -> ReceivedAdvertisement? in
        if case .received(scene.strap, let received) = event { received } else { nil }
      }
      let content = AdvertisedContent(received.advertisement.structures)
      #expect(content.name == "strap")
      #expect(content.serviceUUIDs == [Self.service.uuid])
      #expect(received.rssi == -50)
      #expect(received.scanResponse == nil)
    }
  }

  @Test("It waits for a peripheral, and reads, writes, subscribes and is notified", arguments: [66, 82])
  func whole(minor: Int) async throws {
    try await Self.run(minor) { scene in
      await scene.phone.connect(to: [scene.strap], listening: ScanWindow())
      await scene.peripheral.advertise(Self.advertisement)
      let peripheral = try await scene.events.wait { event -> RadioPeripheral? in
        if case .peripheralConnected(let peripheral) = event { peripheral } else { nil }
      }
      #expect(peripheral.id == scene.strap)
      #expect(await scene.phone.connectedCentrals == [])
      guard case .success(.services(let services)) = try await scene.perform(.services, 1),
        let service = services.first(where: { $0.uuid == Self.service.uuid })
      else {
        Issue.record("no service")
        return
      }
      #expect(service.range.lowerBound == scene.handles.start)
      guard case .success(.characteristics(let found)) = try await scene.perform(.characteristics(service.range), 2)
      else {
        Issue.record("no characteristics")
        return
      }
      #expect(found.map(\.value) == scene.handles.characteristics.map(\.value))
      #expect(found.map(\.properties) == [0x12, 0x0A, 0x04])
      let (measurement, control) = (found[0].value, found[1].value)
      guard
        case .success(.descriptors(let descriptors)) = try await scene.perform(
          .descriptors(measurement...control), 3)
      else {
        Issue.record("no descriptors")
        return
      }
      #expect(descriptors.map(\.uuid) == [DescriptorDefinition.clientCharacteristicConfiguration])

      async let read = scene.perform(.read(measurement), 4)
      let request = try await scene.served.wait { if case .read(let request) = $0 { request } else { nil } }
      await scene.peripheral.respond(to: request.id, .success([0, 60]))
      #expect(try await read == .success(.value([0, 60])))

      async let refused = scene.perform(.write(control, [7]), 5)
      let write = try await scene.served.wait { if case .write(let request, _) = $0 { request } else { nil } }
      let sent = try #require(await scene.peripheral.respond(to: write.id, .failure(ATTError(rawValue: 0x81))))
      let outcome = try await refused
      #expect(outcome == .failure(.att(sent)))

      #expect(try await scene.perform(.command(found[2].value, [8]), 6) == .success(.done))
      let command = try await scene.served.wait { event -> [UInt8]? in
        if case .write(_, let writes) = event { writes[0].value } else { nil }
      }
      #expect(command == [8])

      #expect(try await scene.perform(.write(descriptors[0].handle, [1, 0]), 7) == .success(.done))
      let subscriber = try await scene.served.wait { event -> RadioCentral? in
        if case .subscribed(measurement, let central) = event { central } else { nil }
      }
      #expect(await scene.peripheral.update(measurement, [0, 61], to: [subscriber.id]) == nil)
      let value = try await scene.events.wait { event -> [UInt8]? in
        if case .valueReceived(scene.strap, measurement, let value) = event { value } else { nil }
      }
      #expect(value == [0, 61])
      #expect(try await scene.perform(.write(descriptors[0].handle, [0, 0]), 8) == .success(.done))
      await scene.phone.readRSSI(of: scene.strap, as: PeripheralOperationID(rawValue: 9))
      #expect(try await scene.result(9) == .failure(.att(.requestNotSupported)))
      try await scene.served.wait { if case .unsubscribed(measurement, _) = $0 { true } else { nil } }

      await scene.phone.disconnect(from: scene.strap)
      let cause = try await scene.events.wait { event -> DisconnectionCause? in
        if case .peripheralDisconnected(scene.strap, let cause) = event { cause } else { nil }
      }
      #expect(cause == .byPhone)
    }
  }

  @Test("The end of a connection by the peripheral is reported, and the phone can wait for the next one")
  func again() async throws {
    try await Self.run { scene in
      await scene.peripheral.advertise(Self.advertisement)
      _ = try await scene.connect()
      let central = try await scene.served.wait { if case .connected(let central) = $0 { central } else { nil } }
      _ = try await scene.perform(.services, 1)
      await scene.peripheral.disconnect(central.id)
      let cause = try await scene.events.wait { event -> DisconnectionCause? in
        if case .peripheralDisconnected(scene.strap, let cause) = event { cause } else { nil }
      }
      #expect(cause == .byPeripheral)
      #expect(try await scene.perform(.read(3), 2) == .failure(.notConnected))
      _ = try await scene.connect()
    }
  }

  /// A bluetoothd of a few lines with a peripheral that is always there. It counts the calls of `refused` for the
  /// device, and refuses the first.
  @Test("A refusal of bluetoothd's leaves no link that cannot be used", arguments: ["GetAll", "Disconnect"])
  func refusals(refused: MemberName) async throws {
    let bus = try PrivateBus()
    let daemon = Program(connection: try await DBusConnection.open(bus.address, on: TestLoops.first), root: "/")
    let device: ObjectPath = "/org/bluez/hci0/dev_00_11_22_33_44_55"
    await daemon.export([
      ("/org/bluez/hci0", BlueZName.adapter, [("Powered", .boolean(true)), ("Address", .string("00:00:00:00:00:01"))]),
      (device, BlueZName.device, [("Address", .string("00:11:22:33:44:55")), ("Connected", .boolean(false))]),
    ])
    let calls = Mutex(0)
    await daemon.connection.export(at: device) { [weak connection = daemon.connection] call in
      connection?.assumeIsolated { connection in
        let isFirst =
          call.call.member == refused
          && calls.withLock {
            $0 += 1
            return $0 == 1
          }
        connection.reply(
          to: call, isFirst ? .failure(.failed("Not now")) : .success(refused == "GetAll" ? [.properties([])] : []))
        guard call.call.member == "Connect" else { return }
        let changed = ["Connected", "ServicesResolved"].map { ($0, DBusValue.boolean(true)) }
        try? connection.emit(.propertiesChanged(device, BlueZName.device, changed: changed))
      }
    }
    #expect(try await daemon.connection.request(BlueZName.bus))
    let events = Mailbox<RadioEvent>()
    let phone = BlueZRadio(connection: try await DBusConnection.open(bus.address, on: TestLoops.second)) {
      events.put($0)
    }
    try await phone.start()
    try await events.wait { if case .state(.poweredOn) = $0 { true } else { nil } }
    let peripheral = PeripheralID(rawValue: "00:11:22:33:44:55")
    for number in 1...2 {
      await phone.connect(to: [peripheral], listening: ScanWindow())
      _ = try await events.wait { if case .peripheralConnected(let peripheral) = $0 { peripheral } else { nil } }
      let id = PeripheralOperationID(rawValue: number)
      await phone.perform(.services, as: id, at: peripheral)
      let result = try await events.wait { if case .completed(id, let result) = $0 { result } else { nil } }
      #expect(result == .success(.services([])))
      guard refused == "Disconnect", number == 1 else { break }
      await phone.disconnect(from: peripheral)
      let cause = try await events.wait { event -> DisconnectionCause? in
        if case .peripheralDisconnected(peripheral, let cause) = event { cause } else { nil }
      }
      #expect(cause == .byPhone)
    }
    #expect(calls.withLock { $0 } == (refused == "GetAll" ? 2 : 1))
    await phone.shutDown()
  }

  @Test("A peripheral that is no longer waited for is not connected")
  func cancelled() async throws {
    try await Self.run { scene in
      await scene.phone.scan(ScanWindow())
      await scene.peripheral.advertise(Self.advertisement)
      try await scene.events.wait { if case .received(scene.strap, _) = $0 { true } else { nil } }
      await scene.peripheral.advertise(nil)
      try await scene.served.wait { if case .advertisingStopped = $0 { true } else { nil } }
      await scene.phone.connect(to: [scene.strap], listening: ScanWindow())
      await scene.phone.connect(to: [], listening: ScanWindow())
      await scene.peripheral.advertise(Self.advertisement)
      try await scene.events.wait { if case .received(scene.strap, _) = $0 { true } else { nil } }
      #expect(try await scene.stage.get(scene.stage.phone, BlueZName.device, "Connected") == .boolean(false))
    }
  }
}
