import EventLoop
import System

/// What a story happens on: a clock, and radios for its phones and centrals.
protocol Backend: Sendable {
  var loop: any ActorLoop { get }

  /// Whether its centrals are told of every advertisement, as a radio hears them that listens all the time.
  var tellsEverything: Bool { get }

  /// Lets time pass; everything that becomes due happens at its own moment.
  func advance(by duration: Duration) async

  /// Runs it on the loop, and returns when it has; no time passes where the clock is virtual.
  func perform<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value

  /// Runs it on the loop until it has finished; nil where it has not within that time, and is cancelled. The thread
  /// waits.
  func wait<Value: Sendable>(
    within limit: Duration, _ body: @escaping @Sendable () async throws -> Value
  ) -> Result<Value, any Error>?

  /// The same; the task waits.
  func finish<Value: Sendable>(
    within limit: Duration, _ body: @escaping @Sendable () async throws -> Value
  ) async -> Result<Value, any Error>?

  /// A radio for a phone.
  func addPhone(named name: String) throws(StoryFailure) -> PhonePlace

  /// A radio for a central, which asks for that ATT_MTU where it can choose, and reports on the loop.
  func addCentral(
    named name: String, mtu: Int, report: @escaping @Sendable (CentralEvent) -> Void
  ) throws(StoryFailure) -> CentralPlace

  /// Takes what is left of the story off the air.
  func close() async
}

/// Where a phone is on the air.
struct PhonePlace: Sendable {
  /// `00:AA:01:00:00:00`
  let address: String
  /// Has the system use it.
  let start: @Sendable (System) async throws -> Void
}

/// Where a central is on the air.
struct CentralPlace: Sendable {
  let address: String
  let radio: any CentralRadio
}
