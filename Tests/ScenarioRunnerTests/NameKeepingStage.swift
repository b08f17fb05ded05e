import GATT
import Scenario
import ScenarioRunner

/// A phone with a bug: in the background it keeps the local name on the air.
struct NameKeepingStage: ScenarioStage {
  let base: StoryStage
  let localName: String

  var now: Duration { base.now }
  var isRealTime: Bool { base.isRealTime }
  var trace: [String] { base.trace }

  func scan(
    _ central: String, for services: [BluetoothUUID], within limit: Duration,
    until match: @escaping @Sendable (Sighted) -> Bool
  ) async throws(StageFailure) -> Bool {
    try await base.scan(central, for: services, within: limit) { sighted in
      var sighted = sighted
      if sighted.overflow != nil { sighted.localName = localName }
      return match(sighted)
    }
  }

  func note(_ text: String) { base.note(text) }
  func advance(by duration: Duration) async { await base.advance(by: duration) }
  func apply(_ fault: Scenario.Step.Fault) async throws(StageFailure) { try await base.apply(fault) }
  func serve(_ app: String) async throws(StageFailure) { try await base.serve(app) }
  func crash(_ app: String) async throws(StageFailure) { try await base.crash(app) }
  func perform(_ order: Scenario.Step.Order, on phone: String, app: String?) async throws(StageFailure) {
    try await base.perform(order, on: phone, app: app)
  }
  func look(at app: String) async -> AppView { await base.look(at: app) }
  func connect(_ central: String, to phone: String, within limit: Duration) async throws(StageFailure) -> Bool {
    try await base.connect(central, to: phone, within: limit)
  }
  func pair(_ central: String) async throws(StageFailure) -> Bool { try await base.pair(central) }
  func disconnect(_ central: String) async throws(StageFailure) { try await base.disconnect(central) }
  func link(of central: String) async -> LinkView { await base.link(of: central) }
  func request(
    _ request: Scenario.Step.Request, by central: String, _ characteristic: BluetoothUUID
  ) async throws(StageFailure) -> StageAnswer {
    try await base.request(request, by: central, characteristic)
  }
  func value(
    of characteristic: BluetoothUUID, at central: String, within limit: Duration
  ) async throws(StageFailure) -> [UInt8]? {
    try await base.value(of: characteristic, at: central, within: limit)
  }
}
