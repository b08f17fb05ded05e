import EventLoop
package import EventTrace
@_exported public import GATT
import SimulatedRadio
import Synchronization
import System
import VirtualBlueZ

/// The air that phones and centrals of one story are on, and its clock.
///
/// On a virtual radio time passes while something is waited for, and where `advance(by:)` lets it; the same story with
/// the same seed goes the same way every time. On a real one it is the clock on the wall.
public final class Air: Sendable {
  /// What its phones and centrals send and hear with.
  public let radio: Radio
  let backend: any Backend
  let centrals = Mutex<[String: Central]>([:])
  /// What is to happen on the air later.
  let timers = Mutex<(last: Int, running: [Int: any LoopTimer])>((0, [:]))
  let story = StoryTrace()
  private let beginning: Duration
  private let record: (@Sendable (EventRecord) -> Void)?
  private let trouble: @Sendable (StoryFailure) -> Void

  /// - Parameters:
  ///   - seed: of what is left to chance: when exactly an advertisement comes, and what is lost.
  ///   - loss: the chance, 0 to 1, that a scanner misses an advertisement.
  ///   - latency: from sending to receiving one packet of a connection.
  ///   - record: hears of what happens on its phones, as it is written to a trace.
  ///   - trouble: hears of what was to be done to a phone and cannot be.
  package init(
    on radio: Radio, seed: UInt64 = 0, loss: Double = 0, latency: Duration = .milliseconds(5),
    record: (@Sendable (EventRecord) -> Void)? = nil, trouble: @escaping @Sendable (StoryFailure) -> Void
  ) {
    self.record = record
    self.radio = radio
    backend =
      switch radio.kind {
      case .virtual: VirtualBackend(seed: seed, conditions: AirConditions(loss: loss, latency: latency))
      case .bluez(let bus, let adapters): BlueZBackend(bus: bus, adapters: adapters)
      }
    beginning = backend.loop.now
    self.trouble = trouble
  }

  /// 1 January 2026: the time of day at which a story begins on a virtual radio, since 1970 in UTC.
  package static let virtualBeginning = Duration.seconds(1_767_225_600)

  var loop: any ActorLoop { backend.loop }

  /// Since the story began.
  public var now: Duration { loop.now - beginning }

  /// Lets time pass; everything that becomes due meanwhile happens at its own moment.
  public func advance(by duration: Duration) async { await backend.advance(by: duration) }

  /// Lets time pass until that moment of the story.
  public func advance(to moment: Duration) async { await advance(by: moment - now) }

  /// What has happened so far, a line each: the time in seconds, who, and what.
  public var trace: [String] { story.lines() }

  /// The last so many lines of it.
  package func trace(last count: Int) -> [String] { story.lines(count) }

  package var traceCount: Int { story.count }

  /// Takes what is left of the story off the air. Nothing can be done with its phones and centrals any more.
  public func close() async { await backend.close() }

  /// Does something with the simulated air, on the loop. Real adapters have none of its faults: to ask for one there
  /// fails the story.
  func withSimulatedAir<Value: Sendable>(
    _ what: String, otherwise other: Value, _ body: @escaping @Sendable (isolated SimulatedAir) -> Value
  ) -> Value {
    guard let virtual = virtual(for: what) else { return other }
    return backend.perform { virtual.air.assumeIsolated { body($0) } }
  }

  func virtual(for what: String) -> VirtualBackend? {
    if let virtual = backend as? VirtualBackend { return virtual }
    fail(.radio("\(what) is a matter of the virtual radio; this story is on real adapters"))
    return nil
  }

  /// Notes what happens on a phone.
  ///
  /// - Parameter app: the bundle identifier of the app that it is of; nil where it is the phone's.
  func note(_ event: SystemEvent, on phone: String, app: String?) {
    story.note(event, of: phone, app: app, at: now)
    guard let record else { return }
    var line = EventRecord(event, of: app)
    line.time = Timestamp(sinceEpoch: loop.timeOfDay).date
    line.side = "phone"
    line.phone = phone
    record(line)
  }

  /// Puts a line into the trace.
  package func note(_ who: String, _ what: String) {
    story.note(what, of: who, at: now)
  }

  /// What cannot be done fails the story.
  func fail(_ failure: StoryFailure) {
    note("story", "\(failure)")
    trouble(failure)
  }

  /// Runs it on the loop, and lets time pass until it has finished.
  func finish<Value: Sendable>(
    within limit: Duration, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    switch await backend.finish(within: limit, body) {
    case .success(let value): return value
    // What waits for something ends so where it is cancelled.
    case nil, .failure(is CancellationError): throw StoryFailure.tooLate(limit)
    case .failure(let error): throw error
    }
  }
}
