import BleperaAir
import BleperaAppLink
import BleperaBluetooth
import BleperaProfileApp
import BleperaRecording
import Synchronization

/// The events of a replay, as they happen.
final class ReplayLog: Sendable {
  private struct ServiceKey: Hashable {
    let phone: Int
    let app: String
    let service: BluetoothUUID
  }

  private struct AppKey: Hashable {
    let phone: Int
    let app: String
  }

  private struct State {
    var entries: [TraceEntry] = []
    /// The number of recorded reads and writes of each central.
    var requests: [String: Int] = [:]
    var notes: [Int: String] = [:]
    var counts: [EventStream: Int] = [:]
    var handles: [ServiceKey: Int] = [:]
    var apps: [AppKey: (app: App, machine: ProfileMachine)] = [:]
  }

  private let state = Mutex(State())

  /// How much earlier or later a read may be than in the trace.
  private static let jitter = Duration.milliseconds(100)
  private static let jitterSteps = 20

  /// - Parameter machine: Computes the values of the app's characteristics.
  func add(_ app: App, _ machine: ProfileMachine, phone: Int) {
    state.withLock { $0.apps[AppKey(phone: phone, app: app.bundleIdentifier)] = (app, machine) }
  }

  func add(_ record: EventRecord, phone: Int, at now: Duration) {
    let alternatives = alternatives(to: record, phone: phone, at: now)
    let entry = TraceEntry(time: now, phone: phone, record: record, alternatives: alternatives)
    state.withLock { state in
      state.entries.append(entry)
      if record.event == .published, let app = record.app, let service = record.uuid(.service) {
        state.handles[ServiceKey(phone: phone, app: app, service: service)] = record.handles?.first
      }
      if let stream = EventStream(entry) { state.counts[stream, default: 0] += 1 }
      if [.read, .write].contains(record.event), let central = record.text(.central) {
        state.requests[central, default: 0] += 1
      }
    }
  }

  /// Notes why the input of a line could not be played; keeps the first reason.
  func note(_ text: String, line: Int) { state.withLock { if $0.notes[line] == nil { $0.notes[line] = text } } }

  var entries: [TraceEntry] { state.withLock { $0.entries } }
  var notes: [Int: String] { state.withLock { $0.notes } }

  func count(_ stream: EventStream) -> Int { state.withLock { $0.counts[stream] ?? 0 } }

  func requests(of central: String) -> Int { state.withLock { $0.requests[central] ?? 0 } }

  /// The first handle of an app's published service; nil if not published.
  func handle(phone: Int, app: String, service: BluetoothUUID) -> Int? {
    state.withLock { $0.handles[ServiceKey(phone: phone, app: app, service: service)] }
  }

  /// The values that a read would have returned a little earlier or later.
  private func alternatives(to record: EventRecord, phone: Int, at now: Duration) -> Set<[UInt8]> {
    guard record.event == .read, record.flag(.cached) == false, record[.descriptor] == nil, record.error == nil,
      let key = record.app.map({ AppKey(phone: phone, app: $0) }),
      let (app, machine) = state.withLock({ $0.apps[key] }), let launch = app.launchTime,
      let service = record.uuid(.service), let characteristic = record.uuid(.characteristic),
      let generator = machine.generator(of: service, characteristic)
    else { return [] }
    let times = (-Self.jitterSteps...Self.jitterSteps).map { now - launch + Self.jitter * $0 / Self.jitterSteps }
    let values = times.filter { $0 >= .zero }.map { Array(generator.value($0).dropFirst(record.number(.offset) ?? 0)) }
    return Set(values).filter { $0 != record.bytes(.value) }
  }
}

/// The phones whose services each central has discovered.
final class LinkTable: Sendable {
  private struct Link: Hashable {
    let central: String
    let phone: DeviceAddress
  }

  private let resolved = Mutex<Set<Link>>([])

  func receive(_ event: VirtualCentral.Event, of central: String) {
    switch event {
    case .services(let phone): resolved.withLock { _ = $0.insert(Link(central: central, phone: phone)) }
    case .disconnected(let phone): resolved.withLock { _ = $0.remove(Link(central: central, phone: phone)) }
    case .received, .connected, .value: break
    }
  }

  func isResolved(_ central: String, _ phone: DeviceAddress) -> Bool {
    resolved.withLock { $0.contains(Link(central: central, phone: phone)) }
  }
}

/// An operation that a central has begun.
final class PendingOperation: Sendable {
  let line: Int
  /// When the replay stops waiting for the operation.
  let limit: Duration
  /// Whether the phone has reported the operation; nil if no report is required.
  private let isReported: (@Sendable () -> Bool)?
  private let isFinished = Atomic<Bool>(false)

  init(line: Int, limit: Duration, isReported: (@Sendable () -> Bool)?) {
    self.line = line
    self.limit = limit
    self.isReported = isReported
  }

  func finish() { isFinished.store(true, ordering: .releasing) }

  var isDone: Bool { isFinished.load(ordering: .acquiring) && (isReported?() ?? true) }
}
