import EventLoop
@_exported public import GATT
import SimulatedRadio
import Synchronization
import VirtualBlueZ

/// The air that phones and centrals of one story are on, and its clock.
///
/// Time is virtual: it passes while something is waited for, and where `advance(by:)` lets it. The same story with the
/// same seed goes the same way every time.
public final class Air: Sendable {
  let loop: VirtualLoop
  let radio: SimulatedAir
  let lines = Mutex<[String]>([])
  let centrals = Mutex<[String: Central]>([:])

  /// - Parameters:
  ///   - seed: of what is left to chance: when exactly an advertisement comes, and what is lost.
  ///   - loss: the chance, 0 to 1, that a scanner misses an advertisement.
  ///   - latency: from sending to receiving one packet of a connection.
  public init(seed: UInt64 = 0, loss: Double = 0, latency: Duration = .milliseconds(5)) {
    // 1 January 2026.
    loop = VirtualLoop(beginning: .seconds(1_767_225_600))
    radio = SimulatedAir(
      loop: loop, behavior: DaemonBehavior(minor: 82), conditions: AirConditions(loss: loss, latency: latency),
      seed: seed)
    Stage.current?.add(self)
  }

  /// Since the story began.
  public var now: Duration { loop.now }

  /// Lets time pass; everything that becomes due meanwhile happens at its own moment.
  public func advance(by duration: Duration) { loop.advance(by: duration) }

  /// What has happened so far, a line each: the time in seconds, who, and what.
  public var trace: [String] { lines.withLock { $0 } }

  func note(_ who: String, _ what: String) {
    let time = loop.now.components
    let milliseconds = "\(1000 + time.attoseconds / 1_000_000_000_000_000)".dropFirst()
    lines.withLock { $0.append("\(time.seconds).\(milliseconds)  \(who)  \(what)") }
  }

  /// Runs it on the loop, and lets time pass until it has finished.
  func finish<Value: Sendable>(
    within limit: Duration, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    if loop.isCurrent { return try await body() }
    guard let result = loop.run(until: loop.now + limit, body) else { throw StoryFailure.tooLate(limit) }
    return try result.get()
  }
}
