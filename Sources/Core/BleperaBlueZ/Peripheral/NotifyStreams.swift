import BleperaDBus
import BleperaEventLoop

/// The streams by which bluetoothd takes updates for single subscribers, and the meaning of their ends.
///
/// bluetoothd ends a central's stream when the central unsubscribes and when it disconnects. When an unbonded
/// subscriber disconnects, bluetoothd also ends the oldest stream of the characteristic if that stream is another
/// central's (BlueZ issue 1452): the other central stays subscribed, but is not addressed alone any more. So an end is
/// judged in a later turn, after bluetoothd has answered a call: the disconnection that may be the cause is then known.
struct NotifyStreams {
  struct ID: Hashable, Sendable {
    let characteristic: ObjectPath
    let device: ObjectPath
  }

  /// Our end of a stream.
  struct Socket {
    let socket: SequencedSocket
    let source: EventSource
  }

  private enum State {
    case open(Socket)
    /// `turn` judges the end.
    case ended(turn: Int)
  }

  private struct Stream {
    let device: ObjectPath
    var state: State

    /// The turn that judges the end; nil while the stream is open.
    var end: Int? { if case .ended(let turn) = state { turn } else { nil } }
    var socket: SequencedSocket? { if case .open(let socket) = state { socket.socket } else { nil } }
  }

  /// An unbonded subscriber's disconnection.
  private struct Departure {
    /// The devices with older streams; one of these devices may have lost its stream.
    let older: [ObjectPath]
    let turn: Int
  }

  /// In the order in which they were opened.
  private var streams: [ObjectPath: [Stream]] = [:]
  private var departures: [ObjectPath: [Departure]] = [:]
  private var turn = 0

  var isEmpty: Bool { streams.values.allSatisfy(\.isEmpty) }

  /// Whether the device's stream is open.
  func isOpen(_ id: ID) -> Bool {
    streams[id.characteristic]?.contains { $0.device == id.device && $0.end == nil } ?? false
  }

  mutating func open(_ id: ID, _ socket: Socket) {
    streams[id.characteristic, default: []].append(Stream(device: id.device, state: .open(socket)))
  }

  /// The open streams of these devices.
  func sockets(of characteristic: ObjectPath, _ devices: [ObjectPath]) -> [SequencedSocket] {
    let streams = streams[characteristic] ?? []
    return devices.compactMap { device in streams.first { $0.device == device }?.socket }
  }

  /// - Returns: whether the device had a stream. If bluetoothd asks for one again, it has unsubscribed meanwhile.
  @discardableResult
  mutating func remove(_ id: ID) -> Bool {
    guard let index = streams[id.characteristic]?.firstIndex(where: { $0.device == id.device }) else { return false }
    streams[id.characteristic]?.remove(at: index)
    return true
  }

  /// bluetoothd has ended the stream.
  mutating func ended(_ id: ID) {
    guard let index = streams[id.characteristic]?.firstIndex(where: { $0.device == id.device }),
      streams[id.characteristic]?[index].end == nil
    else { return }
    streams[id.characteristic]?[index].state = .ended(turn: turn + 1)
  }

  /// Ends the streams that bluetoothd has closed and the loop has not reported yet: of a device, or of all.
  ///
  /// - Returns: whether there were any.
  mutating func endClosed(of device: ObjectPath? = nil) -> Bool {
    let closed = streams.flatMap { characteristic, streams in
      streams.filter { ($0.device == device || device == nil) && $0.socket?.hasEnded == true }
        .map { ID(characteristic: characteristic, device: $0.device) }
    }
    for id in closed { ended(id) }
    return !closed.isEmpty
  }

  /// Whether the end of one of the device's streams is not judged yet.
  func isUndecided(_ device: ObjectPath) -> Bool {
    streams.values.joined().contains { $0.device == device && $0.end != nil }
  }

  /// The device, which was subscribed to these characteristics, has disconnected.
  mutating func disconnected(_ device: ObjectPath, isBonded: Bool, from characteristics: [ObjectPath]) {
    if !isBonded {
      for characteristic in characteristics {
        let older = (streams[characteristic] ?? []).map(\.device).prefix { $0 != device }
        guard !older.isEmpty else { continue }
        departures[characteristic, default: []].append(Departure(older: Array(older), turn: turn + 1))
      }
    }
    for characteristic in streams.keys { remove(ID(characteristic: characteristic, device: device)) }
  }

  /// Begins a turn where an end waits to be judged: a call to bluetoothd follows, and `judge` after its reply.
  mutating func beginTurn() -> Int? {
    let isNeeded =
      streams.values.joined().contains { $0.end == turn + 1 } || departures.values.joined().contains { $0.turn > turn }
    guard isNeeded else { return nil }
    turn += 1
    return turn
  }

  /// Judges the ends that were reported before the turn began.
  ///
  /// - Returns: the streams whose devices have unsubscribed.
  mutating func judge(_ turn: Int) -> [ID] {
    for (characteristic, list) in departures {
      departures[characteristic] = list.filter { departure in
        let lost = streams[characteristic]?.firstIndex { $0.end != nil && departure.older.contains($0.device) }
        guard let lost else { return departure.turn > turn }
        streams[characteristic]?.remove(at: lost)
        return false
      }
    }
    var unsubscribed: [ID] = []
    for characteristic in streams.keys.sorted() {
      func isJudged(_ stream: Stream) -> Bool { stream.end.map { $0 <= turn } ?? false }
      unsubscribed += (streams[characteristic] ?? []).filter(isJudged)
        .map { ID(characteristic: characteristic, device: $0.device) }
      streams[characteristic]?.removeAll(where: isJudged)
    }
    return unsubscribed
  }

  /// Removes the streams of every characteristic below that path.
  mutating func forget(below root: ObjectPath) {
    for characteristic in Array(streams.keys) where characteristic.isWithin(root) {
      streams[characteristic] = nil
      departures[characteristic] = nil
    }
  }
}

extension ObjectPath {
  func isWithin(_ root: ObjectPath) -> Bool { root == self || root.isAncestor(of: self) }
}
