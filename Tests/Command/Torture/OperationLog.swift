/// The operations of the centrals with their results, and the state that must exist after a kill.
///
/// An operation counts as acknowledged once the phone has responded. bluetoothd acknowledges a subscription to the
/// central before it reports the subscription to the phone, so a subscription counts once the phone has responded to a
/// later request, because the phone handles requests in order. While the phone runs a subscription cannot be lost on
/// its way: where only the app is killed, the central's acknowledgement is enough.
///
/// An operation that was in progress when the phone was killed may have happened or not, because a change is saved
/// before it is acknowledged.
struct OperationLog: Sendable {
  struct Record: Sendable {
    let central: Int
    let operation: Operation
    /// The time since the start of the trial.
    let start: Duration
    var end: Duration?
    /// The error of the operation; nil if the operation has succeeded.
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
  /// The time at which the phone was killed; nil if it was not killed.
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

  /// The latest time until which the phone has certainly handled everything that bluetoothd had sent.
  private var handledUntil: Duration? {
    guard let systemEnd else { return nil }
    return records.filter { record in
      record.operation.isAnsweredByPhone && record.isAcknowledged && record.end.map { $0 < systemEnd } ?? false
    }.map(\.start).max() ?? .zero
  }

  private func isCertain(_ record: Record) -> Bool {
    guard let end = record.end, record.error == nil else { return false }
    guard let systemEnd, let handledUntil else { return true }
    return record.operation.isAnsweredByPhone ? end < systemEnd : end <= handledUntil
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
    // bluetoothd reports an unsubscription only of the last subscriber: until then the phone regards the central as
    // subscribed.
    return records.contains { $0.start >= last.start && isLastUnsubscription($0, topic) } ? .absent : .either
  }

  /// Whether no other central can have been subscribed during the unsubscription.
  private func isLastUnsubscription(_ record: Record, _ topic: Int) -> Bool {
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

  /// The possible descriptions of a central's characteristic: the last acknowledged one, and those written after it.
  func descriptions(of central: Int) -> [[UInt8]] {
    var values = [TortureProfile.firstDescription]
    for record in records where record.central == central {
      guard case .describe(let value) = record.operation else { continue }
      values = isCertain(record) ? [value] : values + [value]
    }
    return values
  }
}
