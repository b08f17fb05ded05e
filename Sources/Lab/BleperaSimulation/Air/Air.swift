import BleperaAir
package import BleperaAppLink
@_exported public import BleperaBluetooth
import BleperaLoop
import BleperaPhone
import BleperaRecording
import Synchronization

/// The radio environment of a story's phones and centrals, and its clock.
///
/// On a virtual radio, time passes while an action waits and during `advance(by:)`; the same story with the same seed
/// runs the same way every time. On real adapters, time is the system's.
public final class Air: Sendable {
  /// The radio of the phones and centrals.
  public let radio: Radio
  let backend: any Backend
  let centrals = Mutex<[String: Central]>([:])
  /// Actions that are scheduled for later.
  let timers = Mutex<(last: Int, running: [Int: any LoopTimer])>((0, [:]))
  let story = StoryTrace()
  let callback = AwaitedCallback()
  /// The processes of apps that are written against Core Bluetooth.
  let hostedApps = Mutex<[InProcessApp]>([])
  /// Ends the apps of a phone, on the loop: a task of an app that waits for a message retains the phone and the air.
  let endings = Mutex<[@Sendable () -> Void]>([])
  private let hasEnded = Atomic(false)
  private let beginning: Duration
  /// The seed of the random number generators of a virtual radio and of its phones.
  let seed: UInt64
  private let record: (@Sendable (EventRecord) -> Void)?
  private let onFailure: @Sendable (StoryFailure) -> Void

  /// - Parameters:
  ///   - seed: Seed for the random number generator of a virtual radio; equal seeds give equal runs.
  ///   - loss: The probability, 0 to 1, that a scanner misses an advertisement.
  ///   - latency: How long after its connection event a packet of a connection arrives.
  ///   - record: Receives the events of the phones, as they are written to a trace.
  ///   - capture: Receives the packets on a virtual radio, as records after `AirCapture.fileHeader`.
  ///   - onFailure: Receives each action that could not be performed on a phone or a central.
  package convenience init(
    on radio: Radio, seed: UInt64 = 0, loss: Double = 0, latency: Duration = .zero,
    record: (@Sendable (EventRecord) -> Void)? = nil, capture: (@Sendable ([UInt8]) -> Void)? = nil,
    onFailure: @escaping @Sendable (StoryFailure) -> Void
  ) {
    let backend = radio.makeBackend(seed, AirConditions(loss: loss, latency: latency))
    if let capture { backend.virtual?.capture(capture) }
    self.init(on: radio, backend, seed: seed, record: record, onFailure: onFailure)
  }

  init(
    on radio: Radio, _ backend: any Backend, seed: UInt64 = 0, record: (@Sendable (EventRecord) -> Void)? = nil,
    onFailure: @escaping @Sendable (StoryFailure) -> Void
  ) {
    self.radio = radio
    self.backend = backend
    self.seed = seed
    self.record = record
    self.onFailure = onFailure
    beginning = backend.loop.now
  }

  /// 1 January 2026: the time of day at which a story begins on a virtual radio, since 1970 in UTC.
  package static let virtualBeginning = Duration.seconds(1_767_225_600)

  var loop: any ActorLoop { backend.loop }

  /// Nil on real adapters.
  package var virtualBackend: VirtualBackend? { backend.virtual }

  /// The time since the story began.
  public var now: Duration { loop.now - beginning }

  /// Lets time pass; everything that becomes due happens at its own time.
  public func advance(by duration: Duration) async { await backend.advance(by: duration) }

  /// Lets time pass until `moment` on the story's clock.
  public func advance(to moment: Duration) async { await advance(by: moment - now) }

  /// The events so far, one per line: the time in seconds, the device and the event.
  public var trace: [String] { story.lines() }

  /// The last lines of the trace.
  package func trace(last count: Int) -> [String] { story.lines(last: count) }

  package var traceCount: Int { story.count }

  /// Takes everything off the air. Phones and centrals cannot be used afterwards.
  public func close() async {
    endApps()
    await backend.close()
  }

  /// Ends what retains the phones and centrals, so that they are released with those who use them. No more events are
  /// recorded.
  package func endApps() {
    hasEnded.store(true, ordering: .releasing)
    for app in hostedApps.withLock({ $0 }) { app.end() }
    hostedApps.withLock { $0 = [] }
    let endings = endings.withLock { endings in
      defer { endings = [] }
      return endings
    }
    backend.perform { for end in endings { end() } }
    centrals.withLock { $0 = [:] }
  }

  /// The virtual radio; nil, with the story failed, on real adapters.
  ///
  /// - Parameter feature: The feature that needs a virtual radio; the subject of a sentence.
  func virtualBackend(for feature: String) -> VirtualBackend? {
    if let virtual = backend.virtual { return virtual }
    fail(.radio("\(feature) can be changed on the virtual radio only; this story is on real adapters"))
    return nil
  }

  /// Adds an event of a phone to the trace.
  ///
  /// - Parameter app: The bundle identifier of the event's app; nil for events of the phone itself.
  func note(_ event: PhoneEvent, on phone: String, app: String?) {
    guard !hasEnded.load(ordering: .acquiring) else { return }
    story.add(event, of: phone, app: app, at: now)
    guard let record else { return }
    var line = EventRecord(event, of: app)
    line.time = Timestamp(sinceEpoch: loop.timeOfDay).date
    line.side = "phone"
    line.phone = phone
    record(line)
  }

  /// Adds an event of an accessory to the trace.
  func note(_ record: EventRecord, on accessory: String) {
    let text = EventText(record, at: Timestamp(sinceEpoch: now))
    note(accessory, text.details.isEmpty ? text.label : "\(text.label)  \(text.details)")
  }

  /// Adds a line to the trace.
  package func note(_ who: String, _ what: String) { story.add(what, of: who, at: now) }

  /// Reports that an action could not be performed.
  func fail(_ failure: StoryFailure) {
    note("story", "\(failure)")
    onFailure(failure)
  }

  /// Runs `body` on the loop, and lets time pass until `body` has finished.
  func finish<Value: Sendable>(
    within limit: Duration, _ body: @escaping @Sendable () async throws -> Value
  ) async throws(StoryFailure) -> Value {
    switch await backend.finish(within: limit, body) {
    case .success(let value): return value
    // A task that waits throws this when it is cancelled.
    case nil, .failure(is CancellationError): throw .timedOut(limit)
    case .failure(let failure as StoryFailure): throw failure
    case .failure(let error): throw .radio("\(error)")
    }
  }
}
