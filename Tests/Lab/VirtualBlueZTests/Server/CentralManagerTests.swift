import BleperaBlueZ
import BleperaBlueZProtocol
import BleperaBluetooth
import BleperaDBus
import BleperaEventLoop
import BleperaLoop
import BleperaRadio
import BlueZContract
import BusTesting
import Dispatch
import Synchronization
import Testing

@testable import BleperaAir
@testable import BleperaVirtualBlueZ

@Suite("blepera's own central on the virtual radio", .timeLimit(.minutes(5)))
struct CentralManagerTests {
  private static let heartRate = BluetoothUUID(0x180D as UInt16)

  /// A program that advertises on hci0, and a central on hci1 that listens.
  private static func run(
    _ minor: Int = 66, _ objects: [Program.Object] = Program.objects(flags: ["read", "write", "notify"]),
    _ body: (VirtualRadio, BlueZContract.Stage, Program, CentralManager, Mailbox<CentralManagerEvent>) async throws ->
      Void
  ) async throws {
    let radio = try await VirtualRadio(DaemonBehavior(minor: minor, isExperimental: true))
    try await radio.stage { scene async throws in
      let advertiser = Program(connection: try await DBusConnection.open(radio.bus.address, on: TestLoops.second))
      let advertisement: Program.Properties = [
        ("LocalName", .string("phone")), ("ServiceUUIDs", .strings([Program.heartRate])),
        ("ManufacturerData", .variants([(0x004C, .bytes([1, 2, 3]))])),
      ]
      #expect(await advertiser.advertise(Program.lively + advertisement) == nil)
      let program = Program(connection: scene.app)
      await program.export(objects)
      #expect(await program.register() == nil)
      let events = Mailbox<CentralManagerEvent>()
      let manager = CentralManager(connection: scene.client, adapter: "hci1") { events.put($0) }
      try await manager.start()
      await manager.scan(ScanFilter(serviceUUIDs: [heartRate]))
      try await body(radio, scene, program, manager, events)
      await advertiser.connection.close()
    }
  }

  private static func phone(_ events: Mailbox<CentralManagerEvent>) async throws -> FoundDevice {
    try await events.wait { if case .appeared(let device) = $0 { device } else { nil } }
  }

  @Test("It reports the radio, then scans, then discovers a peripheral", arguments: [66, 82])
  func discovers(minor: Int) async throws {
    try await Self.run(minor) { _, scene, _, _, events in
      guard case .radio(.poweredOn(adapter: "hci1")) = try await events.next(),
        case .scanning = try await events.next(), case .appeared(let device) = try await events.next()
      else {
        Issue.record("another order")
        return
      }
      #expect(device.path == scene.phone && device.address == "00:AA:01:00:00:00" && device.rssi == -50)
      #expect(device.advertised.name == "phone" && device.advertised.serviceUUIDs == [Self.heartRate])
      #expect(device.advertised.manufacturerData == [0x004C: [1, 2, 3]])
    }
  }

  @Test("A device that is forgotten appears again with its next advertisement")
  func forgets() async throws {
    try await Self.run { _, _, _, manager, events in
      for _ in 0..<3 {
        let device = try await Self.phone(events)
        #expect(await manager.forget(device.path))
        try await events.wait { if case .vanished(device) = $0 { true } else { nil } }
      }
      #expect(await manager.forget("/org/bluez/hci1/dev_11_11_11_11_11_11") == false)
    }
  }

  @Test(
    "It connects, discovers attributes, reads, writes, subscribes, is notified and disconnects", arguments: [66, 82])
  func whole(minor: Int) async throws {
    try await Self.run(minor) { _, _, program, manager, events in
      let device = try await Self.phone(events)
      try await manager.connect(to: device.path)
      try await events.wait { if case .connected = $0 { true } else { nil } }
      #expect(await manager.forget(device.path) == false)
      let services = await manager.services(of: device.path)
      let service = try #require(services.first { $0.uuid == Self.heartRate })
      let characteristic = try #require(service.characteristics.first)
      #expect(characteristic.properties == [.read, .write, .notify])
      #expect(characteristic.descriptors.map(\.uuid) == [DescriptorDefinition.clientCharacteristicConfiguration])

      async let value = manager.read(characteristic.path)
      await program.answer(try await program.next("ReadValue"), .success([.bytes([0, 60])]))
      #expect(try await value == [0, 60])
      async let written: Void = manager.write([1], to: characteristic.path)
      let write = try await program.next("WriteValue")
      #expect(write.call.arguments.first == .bytes([1]))
      await program.answer(write, .success([]))
      try await written

      try await manager.subscribe(to: characteristic.path)
      try await program.notify([0, 61])
      try await events.wait { event -> Bool? in
        if case .value(characteristic.path, [0, 61]) = event { true } else { nil }
      }
      try await manager.unsubscribe(from: characteristic.path)
      try await manager.disconnect(from: device.path)
      try await events.wait { if case .disconnected = $0 { true } else { nil } }
      #expect(await manager.forget(device.path))
    }
  }

  @Test("What the device answers is a typed error")
  func refusals() async throws {
    try await Self.run { _, _, program, manager, events in
      let device = try await Self.phone(events)
      try await manager.connect(to: device.path)
      let path = try #require(
        await manager.services(of: device.path).first { $0.uuid == Self.heartRate }?.characteristics.first?.path)
      for (name, message, error): (ErrorName, String, CentralFailure) in [
        ("org.bluez.Error.Failed", "0x81", .att(ATTError(rawValue: 0x81))),
        ("org.bluez.Error.NotPermitted", "", .att(.readNotPermitted)),
        ("org.bluez.Error.NotAuthorized", "", .att(.insufficientAuthorization)),
        ("org.example.Nonsense", "", .att(.unlikelyError)),
      ] {
        async let value = Self.failure { try await manager.read(path) }
        let reply = DBusErrorReply(name: name, message: message)
        await program.answer(try await program.next("ReadValue"), .failure(reply))
        #expect(await value == error)
      }
      try await manager.disconnect(from: device.path)
      #expect(await Self.failure { try await manager.read(path) } == .notConnected)
    }
  }

  @Test("A request without a response ends with its task, and with the connection")
  func unansweredRequests() async throws {
    try await Self.run { _, _, program, manager, events in
      let device = try await Self.phone(events)
      try await manager.connect(to: device.path)
      let path = try #require(
        await manager.services(of: device.path).first { $0.uuid == Self.heartRate }?.characteristics.first?.path)
      let write = Task { await Self.failure { try await manager.write([1], to: path) } }
      _ = try await program.next("WriteValue")
      write.cancel()
      #expect(await write.value == .bus(.cancelled))
      // It waits for the response to the write.
      let read = await Self.beginReading(path, on: manager)
      try await manager.disconnect(from: device.path)
      #expect(await read.value == .notConnected)
    }
  }

  /// Begins a read, which bluetoothd receives before what the caller requests next.
  private static func beginReading(
    _ path: ObjectPath, on manager: isolated CentralManager
  ) -> Task<CentralFailure?, Never> {
    Task.immediate {
      do throws(CentralFailure) {
        _ = try await manager.read(path)
        return nil
      } catch { return error }
    }
  }

  /// A bluetoothd of a few lines, whose messages reach the central together.
  @Test("A connection that ends right after it is made is noticed, though the task has not begun to wait")
  func disconnectedAtOnce() async throws {
    let bus = try PrivateBus()
    let daemon = Program(connection: try await DBusConnection.open(bus.address, on: TestLoops.first), root: "/")
    let device: ObjectPath = "/org/bluez/hci0/dev_00_11_22_33_44_55"
    await daemon.export([
      ("/org/bluez/hci0", BlueZName.adapter, [("Powered", .boolean(true)), ("Address", .string("00:00:00:00:00:01"))]),
      (device, BlueZName.device, [("Address", .string("00:11:22:33:44:55")), ("Connected", .boolean(false))]),
    ])
    #expect(try await daemon.connection.request(BlueZName.bus))
    let loop = EventLoop(name: "central")
    let events = Mailbox<CentralManagerEvent>()
    let manager = CentralManager(connection: try await DBusConnection.open(bus.address, on: loop)) { events.put($0) }
    try await manager.start()
    try await events.wait { if case .radio(.poweredOn) = $0 { true } else { nil } }
    let begin = loop.now
    async let failure = Self.failure { try await manager.connect(to: device) }
    let call = try await daemon.next("Connect")
    // The central's loop is held up until the bus has everything.
    let release = DispatchSemaphore(value: 0)
    let timer = Mutex<EventSource?>(nil)
    await withCheckedContinuation { held in
      let source = loop.schedule(after: .zero) {
        held.resume()
        release.wait()
      }
      timer.withLock { $0 = source }
    }
    await daemon.answer(call, .success([]))
    for isConnected in [true, false] {
      try await daemon.connection.emit(
        .propertiesChanged(device, BlueZName.device, changed: [("Connected", .boolean(isConnected))]))
    }
    // The bus replies after it has passed on what came before.
    _ = try await daemon.connection.owner(of: BlueZName.bus)
    release.signal()
    #expect(await failure == .notConnected)
    #expect(loop.now - begin < CentralManager.connectTimeout)
    await manager.close()
    loop.stop()
  }

  private static func failure(
    _ body: () async throws -> some Sendable
  ) async -> CentralFailure? {
    do {
      _ = try await body()
      return nil
    } catch {
      return error as? CentralFailure
    }
  }

  @Test("Switching an adapter off ends the connection, and the scan continues when it is on again")
  func power() async throws {
    try await Self.run { _, scene, _, manager, events in
      let device = try await Self.phone(events)
      try await manager.connect(to: device.path)
      for isOn in [false, true] {
        try await scene.ask(
          BlueZContract.Stage.clientAdapter, .properties, "Set",
          [.string(BlueZName.adapter.rawValue), .string("Powered"), .variant(.boolean(isOn))])
      }
      try await events.wait { if case .disconnected = $0 { true } else { nil } }
      try await events.wait { if case .scanning = $0 { true } else { nil } }
      #expect(await Self.failure { try await manager.connect(to: device.path) } == nil)
    }
  }

  @Test("A daemon that goes takes devices with it, and what is asked then is refused")
  func restart() async throws {
    try await Self.run { radio, _, _, manager, events in
      let device = try await Self.phone(events)
      try await manager.connect(to: device.path)
      await radio.server.close()
      try await events.wait { if case .disconnected = $0 { true } else { nil } }
      try await events.wait { if case .vanished = $0 { true } else { nil } }
      try await events.wait { event -> Bool? in if case .radio(.noDaemon) = event { true } else { nil } }
      #expect(await Self.failure { try await manager.connect(to: device.path) } == .noRadio)
      let server = try await BlueZServer.open(radio.bus.address, on: TestLoops.first, options: .adapters(2))
      try await events.wait { if case .scanning = $0 { true } else { nil } }
      await server.close()
    }
  }

  @Test("Every ATT error that bluetoothd reports is decoded as itself, except those that it does not distinguish")
  func everyError() {
    for (name, error) in ATTError.names {
      let failure = CentralFailure(.remote(DBusErrorReply(att: error)))
      switch error {
      case .insufficientAuthentication, .insufficientEncryption, .insufficientEncryptionKeySize:
        #expect(failure == .notPaired, "\(name)")
      case .requestNotSupported: #expect(failure == .refused(DBusErrorReply(att: error)), "\(name)")
      default: #expect(failure == .att(error), "\(name)")
      }
    }
    #expect(
      CentralFailure(.remote(.failed("Operation failed with ATT error: 0xzz")))
        == .refused(.failed("Operation failed with ATT error: 0xzz")))
    #expect(CentralFailure(.timedOut(.seconds(1))) == .timedOut(.seconds(1)))
    #expect(CentralFailure(.disconnected) == .bus(.disconnected))
  }
}
