import BleperaBluetooth

/// The updates that the phone had no room for, and those behind them, in the order in which the app made them.
///
/// Like an app that follows `isReadyToUpdateSubscribers`: from then on it sends one update after the other until one is
/// turned away again.
struct UpdateBacklog: Sendable {
  struct Update: Hashable, Sendable {
    let characteristic: CharacteristicID
    let value: [UInt8]
    fileprivate let number: Int
  }

  /// Beyond this number further updates are lost, as the app's memory has an end.
  static let limit = 1024

  /// Updates that the phone has not answered, by characteristic, in order.
  private var unanswered: [CharacteristicID: [Update]] = [:]
  /// Ascending by number.
  private var waiting: [Update] = []
  private var lastNumber = 0
  /// Whether the phone is ready, so that each answer is followed by the next update.
  private var isReady = false

  func contains(_ id: CharacteristicID) -> Bool { waiting.contains { $0.characteristic == id } }

  /// Returns the update if it is to be sent now: not before others that wait, of its characteristic or `afterAll`.
  mutating func add(_ id: CharacteristicID, _ value: [UInt8], afterAll: Bool = false) -> Update? {
    lastNumber += 1
    let update = Update(characteristic: id, value: value, number: lastNumber)
    guard afterAll ? !waiting.isEmpty : contains(id) else { return sending(update) }
    if waiting.count < Self.limit { waiting.append(update) }
    return nil
  }

  /// Handles the answer to the oldest update of the characteristic; returns the update to be sent next.
  ///
  /// - Parameter isOwed: whether an update that was turned away is to be sent again.
  mutating func answered(_ id: CharacteristicID, isQueued: Bool, isOwed: Bool) -> Update? {
    guard let update = unanswered[id]?.first else { return nil }
    unanswered[id]?.removeFirst()
    if isQueued { return isReady ? next() : nil }
    guard isOwed else { return isReady ? next() : nil }
    isReady = false
    waiting.insert(update, at: waiting.firstIndex { $0.number > update.number } ?? waiting.endIndex)
    return nil
  }

  /// The phone has room again; returns the update to be sent now.
  mutating func ready() -> Update? {
    isReady = true
    return next()
  }

  /// Nobody is subscribed to the characteristic any more.
  mutating func forget(_ id: CharacteristicID) { waiting.removeAll { $0.characteristic == id } }

  mutating func forgetAll() { waiting = [] }

  private mutating func next() -> Update? {
    guard !waiting.isEmpty else {
      isReady = false
      return nil
    }
    return sending(waiting.removeFirst())
  }

  private mutating func sending(_ update: Update) -> Update {
    unanswered[update.characteristic, default: []].append(update)
    return update
  }
}
