import BleperaAir
import BleperaBluetooth
import BleperaHost
import BleperaHostRadio
import BleperaLoop
import BusTesting
import Testing

@testable import BleperaPhone

/// A virtual air on a virtual clock, without a bus.
struct AirRadio: TestedRadio {
  private let air: SharedAir
  private let phone: AdapterID
  private let central: VirtualCentral
  private let device: DeviceAddress
  private let seen = Mailbox<VirtualCentral.Event>()

  init(loop: VirtualLoop) async throws {
    air = SharedAir(loop: loop, conditions: AirConditions(latency: .milliseconds(1), interval: .zero))
    phone = await air.addAdapter(named: "phone")
    device = try #require(await air.address(of: phone))
    let adapter = await air.addAdapter(named: "central")
    central = VirtualCentral(air: air, adapter: adapter) { [seen] in seen.put($0) }
    await central.start()
  }

  func start(_ system: EmulatedPhone) async throws {
    try await system.start { [air, phone] in HostRadio(adapter: air.hosted(phone), report: $0) }
  }

  func kill(_ system: EmulatedPhone) async { await (system.radio as? HostRadio)?.vanish() }

  func close() async {}

  func runDaemon(_ isRunning: Bool) async throws {
    let radio = try #require(await air.user(of: phone) as? HostRadio)
    if isRunning { #expect(await radio.resume(.noDaemon)) } else { await radio.interrupt(.noDaemon) }
  }

  func plug(_ isIn: Bool) async {
    let radio = await air.user(of: phone) as? HostRadio
    if isIn { _ = await radio?.resume(.noAdapter) } else { await radio?.interrupt(.noAdapter) }
  }

  func connect() async throws {
    await central.scan(ScanWindow())
    let address = try await seen.first { if case .received(let report) = $0 { report.address } else { nil } }
    await central.scan(nil)
    await central.connect(to: address)
    try await seen.first { $0 == .services(address) ? true : nil }
  }

  func find(_ uuid: BluetoothUUID) async -> RemoteCharacteristic? {
    await central.services(of: device).flatMap(\.characteristics).first { $0.uuid == uuid }
  }

  func read(_ characteristic: BluetoothUUID) async throws -> [UInt8] {
    let handle = try #require(await find(characteristic)).value
    return try await central.perform(.read(handle), at: device)
  }

  func write(_ value: [UInt8], to characteristic: BluetoothUUID) async throws {
    let handle = try #require(await find(characteristic)).value
    _ = try await central.perform(.write(handle, value), at: device)
  }

  /// Writes without response.
  func command(_ value: [UInt8], to characteristic: BluetoothUUID) async throws {
    let handle = try #require(await find(characteristic)).value
    _ = try await central.perform(.command(handle, value), at: device)
  }

  func disconnect() async { await central.disconnect(from: device) }

  func subscribe(to characteristic: BluetoothUUID) async throws {
    while true {
      if let handle = await find(characteristic)?.clientConfiguration {
        do {
          _ = try await central.perform(.write(handle, [1, 0]), at: device)
          return
        } catch {
          // The event is about the old service, which has been removed.
        }
      }
      try await seen.first { [device] in $0 == .services(device) ? true : nil }
    }
  }

  func value(of characteristic: BluetoothUUID) async throws -> [UInt8] {
    let handle = try #require(await find(characteristic)).value
    return try await seen.first { if case .value(_, handle, let value) = $0 { value } else { nil } }
  }
}
