import BleperaAir
import BleperaBluetooth
import BleperaController
import BleperaHCI
import BleperaHost
import BleperaHostRadio
import BleperaLoop
import BleperaPhone
import BleperaRadio
import BleperaRules
import BleperaSimulation
import ControllerTesting
import Synchronization

/// A virtual air whose phones stand on controllers, as on a real one.
final class ControllerBackend: Backend {
  let base: VirtualBackend
  private let isLegacy: Bool
  private let phones = Mutex<[ControllerStage]>([])

  init(base: VirtualBackend, isLegacy: Bool) { (self.base, self.isLegacy) = (base, isLegacy) }

  var loop: any ActorLoop { base.loop }
  var virtual: VirtualBackend? { base }

  /// The identity address is the controller's, which stories know.
  func addPhone(named name: String, _ settings: PhoneSettings) throws(StoryFailure) -> PhonePlace {
    let (air, loop, isLegacy) = (base.air, base.virtualLoop, isLegacy)
    let (stage, identity) = loop.perform {
      air.assumeIsolated { host in
        var random = SystemRandomNumberGenerator()
        let identity = PhoneIdentity(address: "\(host.nextAddress)", key: IdentityResolvingKey(using: &random))
        let phone = PhoneHost(
          settings.rules, name: settings.deviceName, mtu: settings.mtu, hasServices: settings.phoneServices)
        return (ControllerStage(loop: loop, air: air, phone: phone, identity: identity, isLegacy: isLegacy), identity)
      }
    }
    phones.withLock { $0.append(stage) }
    base.add(stage.line.controller.adapter, at: identity.address)
    return PhonePlace(address: identity.address, key: identity.key) { system in
      try await system.start { report in
        HostRadio(adapter: stage.adapter, pairing: settings.pairing, report: report)
      }
    }
  }

  func addCentral(
    named name: String, as kind: Central.Kind, mtu: Int?, report: @escaping @Sendable (CentralEvent) -> Void
  ) throws(StoryFailure) -> CentralPlace { base.addCentral(named: name, as: kind, mtu: mtu, report: report) }

  func advance(by duration: Duration) async { base.advance(by: duration) }
  func perform<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value { base.perform(body) }
  func wait<Value: Sendable>(
    within limit: Duration, _ body: @escaping @Sendable () async throws -> Value
  ) -> Result<Value, any Error>? { base.wait(within: limit, body) }
  func finish<Value: Sendable>(
    within limit: Duration, _ body: @escaping @Sendable () async throws -> Value
  ) async -> Result<Value, any Error>? { await base.finish(within: limit, body) }
  func close() async { base.close() }
}

extension Radio {
  static func over(_ layer: LinkLayerKind) -> Radio {
    layer == .air
      ? .virtual
      : Radio("over a \(layer)", isVirtual: true) { seed, conditions in
        ControllerBackend(
          base: VirtualBackend(seed: seed, conditions: conditions), isLegacy: layer == .legacyController)
      }
  }
}
