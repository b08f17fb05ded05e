package import GATT
package import Scenario

/// Where a scenario is played: the phones with their apps, the centrals and the air between them, by the names that the
/// scenario gives them.
package protocol ScenarioStage: Sendable {
  /// Since the stage was set.
  var now: Duration { get }
  /// Whether it takes as long as it says.
  var isRealTime: Bool { get }
  /// What has happened so far, a line each.
  var trace: [String] { get }

  /// Puts a line into the trace.
  func note(_ text: String)
  func advance(by duration: Duration) async
  /// Not all of them can be had everywhere.
  func apply(_ fault: Scenario.Step.Fault) async throws(StageFailure)

  func serve(_ app: String) async throws(StageFailure)
  func crash(_ app: String) async throws(StageFailure)
  func perform(_ order: Scenario.Step.Order, on phone: String, app: String?) async throws(StageFailure)
  func look(at app: String) async -> AppView

  /// Scans until `match` is true of what is heard; false where that does not happen within that time. An app on an
  /// iPhone asks for these services.
  func scan(
    _ central: String, for services: [BluetoothUUID], within limit: Duration,
    until match: @escaping @Sendable (Sighted) -> Bool
  ) async throws(StageFailure) -> Bool
  /// False where there is no link, with the services known, within that time.
  func connect(_ central: String, to phone: String, within limit: Duration) async throws(StageFailure) -> Bool
  /// False where the phone refuses it.
  func pair(_ central: String) async throws(StageFailure) -> Bool
  func disconnect(_ central: String) async throws(StageFailure)
  func link(of central: String) async -> LinkView
  func request(
    _ request: Scenario.Step.Request, by central: String, _ characteristic: BluetoothUUID
  ) async throws(StageFailure) -> StageAnswer
  /// The next value that arrives; nil where none does within that time.
  func value(
    of characteristic: BluetoothUUID, at central: String, within limit: Duration
  ) async throws(StageFailure) -> [UInt8]?
}
