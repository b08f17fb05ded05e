/// What centrals have asked for and been told, and what has to be true after a kill.
///
/// An operation counts as acknowledged once the phone has answered it. For a subscription that needs a witness:
/// bluetoothd acknowledges it to the central before it tells the phone. What the phone has saved when it hears of it is
/// proved by a later request that the phone has answered, as it handles one after the other. While the system lives a
/// subscription cannot be lost on its way, so where the app alone is killed the central's acknowledgement is enough.
///
/// What was under way when the system was killed may have happened or not: what is saved before it is acknowledged is
/// saved for a moment without being acknowledged.
struct Ledger: Sendable {
  struct Record: Sendable {
    let central: Int
    let operation: Operation
    /// Since the trial began.
    let start: Duration
    var end: Duration?
    /// Nil where it has succeeded.
    var error: String?

    var isAcknowledged: Bool { end != nil && error == nil }
  }

  struct Subscription: Hashable, Sendable {
    let central: Int
    let topic: Int
  }

  enum Expectation: Sendable {
    case present
    case absent
    case either
  }

  private(set) var records: [Record] = []
  /// When the system was killed; nil where it lives.
  var systemEnd: Duration?

  mutating func begin(_ operation: Operation, by central: Int, at time: Duration) -> Int {
    records.append(Record(central: central, operation: operation, start: time))
    return records.count - 1
  }

  mutating func end(_ number: Int, _ error: String?, at time: Duration) {
    records[number].end = time
    records[number].error = error
  }

  var acknowledged: Int { records.count(where: isCertain) }

  /// The latest moment of which it is certain that the phone has handled all that bluetoothd had sent until then.
  private var witnessed: Duration? {
    guard let systemEnd else { return nil }
    return records.filter { record in
      record.operation.isAnsweredByPhone && record.isAcknowledged && record.end.map { $0 < systemEnd } ?? false
    }.map(\.start).max() ?? .zero
  }

  private func isCertain(_ record: Record) -> Bool {
    guard let end = record.end, record.error == nil else { return false }
    guard let systemEnd, let witnessed else { return true }
    return record.operation.isAnsweredByPhone ? end < systemEnd : end <= witnessed
  }

  // MARK: Subscriptions

  var expectations: [Subscription: Expectation] {
    var expectations: [Subscription: Expectation] = [:]
    for central in 0..<TortureProfile.centrals {
      for topic in 0..<TortureProfile.topics {
        expectations[Subscription(central: central, topic: topic)] = expectation(central, topic)
      }
    }
    return expectations
  }

  private func expectation(_ central: Int, _ topic: Int) -> Expectation {
    guard let last = records.last(where: { $0.central == central && $0.operation.topic == topic }) else {
      return .absent
    }
    guard isCertain(last) else { return .either }
    guard case .unsubscribe = last.operation else { return .present }
    // bluetoothd tells of an end only when nobody stays: until then the phone takes the central for subscribed.
    return records.contains { $0.start >= last.start && isLastToLeave($0, topic) } ? .absent : .either
  }

  /// Whether nobody else can have been subscribed from the beginning to the end of it.
  private func isLastToLeave(_ record: Record, _ topic: Int) -> Bool {
    guard record.operation == .unsubscribe(topic), isCertain(record), let end = record.end else { return false }
    return (0..<TortureProfile.centrals).allSatisfy { other in
      other == record.central || !mayBeSubscribed(other, topic, from: record.start, to: end)
    }
  }

  private func mayBeSubscribed(_ central: Int, _ topic: Int, from start: Duration, to end: Duration) -> Bool {
    var begin: Duration?
    for record in records where record.central == central && record.operation.topic == topic {
      if case .subscribe = record.operation {
        begin = begin ?? record.start
      } else if let over = record.end, record.isAcknowledged, let since = begin {
        if since <= end, over >= start { return true }
        begin = nil
      }
    }
    return begin.map { $0 <= end } ?? false
  }

  // MARK: Descriptions

  /// What the description of a central's characteristic may be: what was acknowledged last, and what came after it.
  func descriptions(of central: Int) -> [[UInt8]] {
    var values = [TortureProfile.firstDescription]
    for record in records where record.central == central {
      guard case .describe(let value) = record.operation else { continue }
      values = isCertain(record) ? [value] : values + [value]
    }
    return values
  }
}
