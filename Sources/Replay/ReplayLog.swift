import EventTrace
import GATT
import Synchronization

/// What happens now, as it comes.
final class ReplayLog: Sendable {
  private struct Place: Hashable {
    let phone: Int
    let app: String
    let service: BluetoothUUID
  }

  private struct State {
    var moments: [Moment] = []
    /// By central, how many of its reads and writes have been told.
    var requests: [String: Int] = [:]
    var notes: [Int: String] = [:]
    var counts: [Lane: Int] = [:]
    var handles: [Place: Int] = [:]
  }

  private let state = Mutex(State())

  func add(_ moment: Moment) {
    state.withLock { state in
      state.moments.append(moment)
      if moment.record.event == "published", let app = moment.record.app,
        let service = moment.record.service.flatMap({ BluetoothUUID($0) })
      {
        state.handles[Place(phone: moment.phone, app: app, service: service)] = moment.record.handles?.first
      }
      if let lane = Lane(moment) { state.counts[lane, default: 0] += 1 }
      if ["read", "write"].contains(moment.record.event), let central = moment.record.central {
        state.requests[central, default: 0] += 1
      }
    }
  }

  /// Why the input of that line could not be played; the first word counts.
  func note(_ text: String, line: Int) { state.withLock { if $0.notes[line] == nil { $0.notes[line] = text } } }

  var moments: [Moment] { state.withLock { $0.moments } }
  var notes: [Int: String] { state.withLock { $0.notes } }

  func count(_ lane: Lane) -> Int { state.withLock { $0.counts[lane] ?? 0 } }

  func requests(of central: String) -> Int { state.withLock { $0.requests[central] ?? 0 } }

  /// The first handle of where a service of an app is published now; nil where it is not.
  func handle(phone: Int, app: String, service: BluetoothUUID) -> Int? {
    state.withLock { $0.handles[Place(phone: phone, app: app, service: service)] }
  }
}
