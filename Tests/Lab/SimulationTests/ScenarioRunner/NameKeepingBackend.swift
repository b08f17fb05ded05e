import BleperaBluetooth
import BleperaLoop
import BleperaPhone
import BleperaRadio
import BleperaRules
import BleperaSimulation

/// A virtual radio with a bug: phones in the background keep their local name on the air.
struct NameKeepingBackend: Backend {
  let base: VirtualBackend
  let localName: String

  var loop: any ActorLoop { base.loop }
  var virtual: VirtualBackend? { base }

  func addCentral(
    named name: String, as kind: Central.Kind, mtu: Int?, report: @escaping @Sendable (CentralEvent) -> Void
  ) throws(StoryFailure) -> CentralPlace {
    base.addCentral(named: name, as: kind, mtu: mtu) { [localName] event in
      guard case .discovered(let phone, var received) = event else { return report(event) }
      let structures = received.advertisement.structures + (received.scanResponse?.structures ?? [])
      if structures.contains(where: { OverflowArea($0) != nil }) {
        received.advertisement.structures.append(.completeLocalName(localName))
      }
      report(.discovered(phone, received))
    }
  }

  func addPhone(named name: String, _ settings: PhoneSettings) throws(StoryFailure) -> PhonePlace {
    base.addPhone(named: name, settings)
  }
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
  static func nameKeeping(_ localName: String) -> Radio {
    Radio("name-keeping", isVirtual: true) { seed, conditions in
      NameKeepingBackend(base: VirtualBackend(seed: seed, conditions: conditions), localName: localName)
    }
  }
}
