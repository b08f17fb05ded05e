import BleperaBluetooth

/// The app's updates, in the order in which it made them: one at a time is with the phone, and the others wait.
///
/// As `updateValue` returns its result before an app continues, an update follows the answer to the one before it. An
/// update that the phone turns away stays first until `isReadyToUpdateSubscribers`.
struct UpdateBacklog: Sendable {
  struct Update: Hashable, Sendable {
    let characteristic: CharacteristicID
    let value: [UInt8]
  }

  /// Beyond this number further updates are lost, as the app's memory has an end.
  static let limit = 1024

  /// The update that the phone has not answered.
  private var unanswered: Update?
  private var waiting: [Update] = []
  /// Whether the phone has turned an update away and is not yet ready for another.
  private var isFull = false

  func contains(_ id: CharacteristicID) -> Bool { waiting.contains { $0.characteristic == id } }

  /// Returns the update if it is to be sent now.
  mutating func add(_ id: CharacteristicID, _ value: [UInt8]) -> Update? {
    if waiting.count < Self.limit { waiting.append(Update(characteristic: id, value: value)) }
    return next()
  }

  /// Handles the answer to an update; returns the update to be sent next.
  ///
  /// - Parameter isOwed: whether the update is to be sent again if it was turned away.
  mutating func answered(_ id: CharacteristicID, isQueued: Bool, isOwed: Bool) -> Update? {
    guard let update = unanswered, update.characteristic == id else { return nil }
    unanswered = nil
    if !isQueued, isOwed {
      isFull = true
      waiting.insert(update, at: 0)
    }
    return next()
  }

  /// The phone has room again; returns the update to be sent now.
  mutating func ready() -> Update? {
    isFull = false
    return next()
  }

  /// Nobody is subscribed to the characteristic any more.
  mutating func forget(_ id: CharacteristicID) { waiting.removeAll { $0.characteristic == id } }

  mutating func forgetAll() { waiting = [] }

  private mutating func next() -> Update? {
    guard !isFull, unanswered == nil, !waiting.isEmpty else { return nil }
    unanswered = waiting.removeFirst()
    return unanswered
  }
}
