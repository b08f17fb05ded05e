import EventLoop
import GATT
import Policy
import SimulatedRadio
import Synchronization
import System
import VirtualBlueZ

/// A simulated air on a virtual clock.
final class VirtualBackend: Backend {
  let virtualLoop: VirtualLoop
  let air: SimulatedAir
  private let adapters = Mutex<[String: AdapterID]>([:])

  var loop: any ActorLoop { virtualLoop }
  var tellsEverything: Bool { true }

  init(seed: UInt64, conditions: AirConditions) {
    virtualLoop = VirtualLoop(beginning: Air.virtualBeginning)
    air = SimulatedAir(
      loop: virtualLoop, behavior: DaemonBehavior(minor: 82), conditions: conditions, seed: seed)
  }

  func advance(by duration: Duration) { virtualLoop.advance(by: duration) }

  func perform<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value { virtualLoop.perform(body) }

  func wait<Value: Sendable>(
    within limit: Duration, _ body: @escaping @Sendable () async throws -> Value
  ) -> Result<Value, any Error>? {
    virtualLoop.run(until: virtualLoop.now + limit, body)
  }

  func finish<Value: Sendable>(
    within limit: Duration, _ body: @escaping @Sendable () async throws -> Value
  ) async -> Result<Value, any Error>? {
    wait(within: limit, body)
  }

  func addPhone(named name: String) -> PhonePlace {
    let (adapter, address) = add(name)
    return PhonePlace(address: address) { [air] system in
      try await system.start { SimulatedRadio(air: air, adapter: adapter, report: $0) }
    }
  }

  func addCentral(
    named name: String, mtu: Int, report: @escaping @Sendable (CentralEvent) -> Void
  ) -> CentralPlace {
    let (adapter, address) = add(name, mtu)
    let radio = SimulatedCentral(air: air, adapter: adapter) { event in
      switch event {
      case .heard(let heard): report(.heard("\(heard.address)", HeardAdvertisement(heard)))
      case .connected(let phone): report(.connected("\(phone)"))
      case .disconnected(let phone): report(.disconnected("\(phone)"))
      case .services(let phone): report(.services("\(phone)"))
      case .value(let phone, let handle, let value): report(.value("\(phone)", handle.attribute, value))
      }
    }
    virtualLoop.perform { radio.assumeIsolated { $0.start() } }
    return CentralPlace(address: address, radio: radio)
  }

  func close() {}

  /// The adapter of a phone or a central.
  func adapter(at address: String) -> AdapterID? { adapters.withLock { $0[address] } }

  private func add(_ name: String, _ mtu: Int = 517) -> (AdapterID, String) {
    let (adapter, address) = virtualLoop.perform {
      air.assumeIsolated { air in
        let adapter = air.addAdapter(named: name, mtu: mtu)
        return (adapter, air.address(of: adapter).map { "\($0)" } ?? "")
      }
    }
    adapters.withLock { $0[address] = adapter }
    return (adapter, address)
  }
}

extension HeardAdvertisement {
  fileprivate init(_ report: AdvertisementReport) {
    self.init(
      AdvertisingData(leniently: report.data), scanResponse: AdvertisingData(leniently: report.scanResponse),
      isConnectable: report.isConnectable, rssi: report.rssi)
  }
}
