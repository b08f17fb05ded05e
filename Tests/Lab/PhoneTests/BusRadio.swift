import BleperaAir
import BleperaBlueZ
import BleperaBluetooth
import BleperaDBus
import BleperaEventLoop
import BleperaLoop
import BleperaVirtualBlueZ
import BusTesting
import Synchronization
import Testing

@testable import BleperaPhone

/// A virtual bluetoothd on a bus, and a central on the same bus.
final class BusRadio: TestedRadio {
  static let loop = TestLoops.second
  /// The phone's device on the central's adapter.
  private static let device: ObjectPath = "/org/bluez/hci1/dev_00_AA_01_00_00_00"

  private let bus: PrivateBus
  private let server: Mutex<BlueZServer>
  private let central: CentralManager
  private let seen: Mailbox<CentralManagerEvent>

  /// The leases of handles, which a phone keeps in a file.
  private let memory = HandleMemory.inMemory

  private static let options = {
    var options = BlueZServer.Options.adapters(2)
    options.behavior = DaemonBehavior(minor: 66, isExperimental: true)
    options.conditions = AirConditions(latency: .milliseconds(1), interval: .zero)
    return options
  }()

  init() async throws {
    bus = try PrivateBus()
    server = Mutex(try await BlueZServer.open(bus.address, on: TestLoops.first, options: Self.options))
    let seen = Mailbox<CentralManagerEvent>()
    self.seen = seen
    let connection = try await DBusConnection.open(bus.address, on: Self.loop, timeout: .seconds(60))
    central = CentralManager(connection: connection, adapter: "hci1") { seen.put($0) }
    try await central.start()
  }

  func start(_ system: EmulatedPhone) async throws {
    let connection = try await DBusConnection.open(bus.address, on: Self.loop, timeout: .seconds(60))
    var options = BlueZRadio.Options()
    options.adapter = "hci0"
    options.handleMemory = memory
    try await system.start { [options] in BlueZRadio(connection: connection, options: options, report: $0) }
  }

  func kill(_ system: EmulatedPhone) async { await (system.radio as? BlueZRadio)?.connection.close() }

  func close() async {
    await central.close()
    await server.withLock { $0 }.close()
  }

  func runDaemon(_ isRunning: Bool) async throws {
    guard isRunning else { return await server.withLock { $0 }.close() }
    let new = try await BlueZServer.open(bus.address, on: TestLoops.first, options: Self.options)
    server.withLock { $0 = new }
  }

  func plug(_ isIn: Bool) async {
    let server = server.withLock { $0 }
    if isIn {
      await server.plug(AdapterID(0), Self.options.adapters[0])
    } else {
      await server.unplug(AdapterID(0))
    }
  }

  func connect() async throws {
    await central.scan(ScanFilter(serviceUUIDs: []))
    if await central.device("00:AA:01:00:00:00") == nil {
      try await seen.first { if case .appeared(let device) = $0, device.path == Self.device { true } else { nil } }
    }
    try await central.connect(to: Self.device)
  }

  private func find(_ uuid: BluetoothUUID) async -> ObjectPath? {
    await central.services(of: Self.device).flatMap(\.characteristics).first { $0.uuid == uuid }?.path
  }

  func read(_ characteristic: BluetoothUUID) async throws -> [UInt8] {
    try await central.read(#require(await find(characteristic)))
  }

  func write(_ value: [UInt8], to characteristic: BluetoothUUID) async throws {
    try await central.write(value, to: #require(await find(characteristic)))
  }

  func subscribe(to characteristic: BluetoothUUID) async throws {
    while true {
      if let found = await find(characteristic) {
        do {
          return try await central.subscribe(to: found)
        } catch {
          // The event is about the old service, which is about to be removed.
        }
      }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  func value(of characteristic: BluetoothUUID) async throws -> [UInt8] {
    let path = try #require(await find(characteristic))
    return try await seen.first { if case .value(path, let value) = $0 { value } else { nil } }
  }
}
