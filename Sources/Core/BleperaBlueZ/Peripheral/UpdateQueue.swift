import BleperaDBus

/// The updates that wait because the bus and the streams may overtake each other: an update for some subscribers until
/// bluetoothd has received all earlier messages, and the next one until bluetoothd has read the streams.
struct UpdateQueue: Sendable {
  struct Update: Hashable, Sendable {
    let characteristic: ObjectPath
    let value: [UInt8]
    /// The devices that receive the update by their streams; nil for all subscribers, by a signal.
    let devices: [ObjectPath]?
  }

  enum Step: Hashable, Sendable {
    case emit(Update)
    /// Writes the update to the streams of its devices.
    case write(Update)
    /// Calls bluetoothd, whose reply is `received`.
    case ask
    /// Looks again whether the streams are read.
    case check(after: Duration)
  }

  /// The phase of the first update: behind -> received; received -> written, behind; written -> received.
  private enum Phase: Sendable {
    /// bluetoothd may not have received the signals before the update.
    case behind
    case received
    /// `checks`: how many times the streams of the update were unread.
    case written(checks: Int)
  }

  private var waiting: [Update] = []
  private var phase = Phase.behind

  /// - Returns: nil where the update waits for others.
  mutating func add(_ update: Update) -> Step? {
    guard !waiting.isEmpty || update.devices != nil else { return .emit(update) }
    waiting.append(update)
    guard waiting.count == 1 else { return nil }
    phase = .behind
    return .ask
  }

  mutating func received() {
    if case .behind = phase { phase = .received }
  }

  /// - Parameter isUnread: whether bluetoothd has not read the streams that the update was written to.
  /// - Returns: nil once nothing waits.
  mutating func next(isUnread: (Update) -> Bool) -> Step? {
    while let update = waiting.first {
      switch phase {
      case _ where update.devices == nil:
        phase = .behind
        return .emit(waiting.removeFirst())
      case .behind: return .ask
      case .received:
        phase = .written(checks: 0)
        return .write(update)
      case .written(let checks) where isUnread(update):
        phase = .written(checks: checks + 1)
        return .check(after: Self.interval(after: checks))
      case .written:
        phase = .received
        waiting.removeFirst()
      }
    }
    return nil
  }

  /// The time until the next check: doubled each time, 64 ms at most.
  private static func interval(after checks: Int) -> Duration { .milliseconds(1 << min(checks, 6)) }

  /// The number of updates that wait for one of these devices.
  func count(for isAddressed: (ObjectPath) -> Bool) -> Int {
    waiting.count { $0.devices?.contains(where: isAddressed) ?? true }
  }
}
