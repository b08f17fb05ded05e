import BlueZ
import BusTesting
import DBus
import GATT
import Preservation
import Testing
import VirtualBlueZ

@testable import System

/// A system on a virtual radio, and a central that shares no process of its own with it.
struct Phone: Sendable {
  let bus: PrivateBus
  let server: BlueZServer
  let store: InMemoryPreservationStore
  let launcher: TestLauncher
  let system: System
  let events: Mailbox<SystemEvent>
  let central: CentralManager
  let seen: Mailbox<CentralManagerEvent>

  static func run(
    launcher: TestLauncher = TestLauncher(), _ body: (Phone) async throws -> Void
  ) async throws {
    let bus = try PrivateBus()
    var options = BlueZServer.Options.adapters(2)
    options.behavior = DaemonBehavior(minor: 66, isExperimental: true)
    options.conditions.latency = .milliseconds(1)
    let server = try await BlueZServer.open(bus.address, on: TestLoops.first, options: options)
    let store = InMemoryPreservationStore()
    let (system, events) = try await start(bus, store, launcher)
    let seen = Mailbox<CentralManagerEvent>()
    let connection = try await DBusConnection.open(bus.address, on: TestLoops.second)
    let central = CentralManager(connection: connection, adapter: "hci1") { seen.put($0) }
    try await central.start()
    let phone = Phone(
      bus: bus, server: server, store: store, launcher: launcher, system: system, events: events, central: central,
      seen: seen)
    let result: Result<Void, any Error>
    do {
      try await body(phone)
      result = .success(())
    } catch { result = .failure(error) }
    await central.close()
    await system.shutDown()
    await server.close()
    try result.get()
  }

  private static func start(
    _ bus: PrivateBus, _ store: InMemoryPreservationStore, _ launcher: TestLauncher
  ) async throws -> (System, Mailbox<SystemEvent>) {
    let events = Mailbox<SystemEvent>()
    let system = System(loop: TestLoops.second, store: store, launcher: launcher) { event, _ in events.put(event) }
    var options = Peripheral.Options()
    options.adapter = "hci0"
    try await system.start(bus: bus.address, options: options)
    return (system, events)
  }

  /// Ends the system as a kill does, and starts another one on what it had saved.
  func restarted() async throws -> Phone {
    await system.die()
    let (system, events) = try await Self.start(bus, store, launcher)
    return Phone(
      bus: bus, server: server, store: store, launcher: launcher, system: system, events: events, central: central,
      seen: seen)
  }

  var saved: [PreservedApp] {
    get throws { try store.load().state.apps }
  }

  // MARK: The central

  /// Finds the phone and connects to it.
  func connect() async throws -> ObjectPath {
    await central.scan(ScanFilter(serviceUUIDs: []))
    let device = try await seen.first { if case .appeared(let device) = $0 { device.path } else { nil } }
    try await central.connect(to: device)
    return device
  }

  /// The path of a characteristic of the connected phone's.
  func path(_ uuid: BluetoothUUID, of device: ObjectPath) async throws -> ObjectPath {
    let services = await central.services(of: device)
    return try #require(services.flatMap(\.characteristics).first { $0.uuid == uuid }?.path)
  }

  /// As the central knows it.
  static let device: ObjectPath = "/org/bluez/hci1/dev_00_AA_01_00_00_00"

  /// Subscribes once the central's stack has found the services that were published anew.
  func subscribeAgain(to uuid: BluetoothUUID) async throws {
    while true {
      let services = await central.services(of: Self.device)
      if let found = services.flatMap(\.characteristics).first(where: { $0.uuid == uuid }) {
        do {
          return try await central.subscribe(to: found.path)
        } catch {
          // That was the old one, which is about to go.
        }
      }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  func value(of characteristic: ObjectPath) async throws -> [UInt8] {
    try await seen.first { if case .value(characteristic, let value) = $0 { value } else { nil } }
  }
}

extension System {
  /// Leaves the bus without a word.
  func die() async {
    isShutDown = true
    await (peripheral as? Peripheral)?.connection.close()
  }
}
