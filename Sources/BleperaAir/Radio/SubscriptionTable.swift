package import BleperaBluetooth

/// The subscriptions of centrals to characteristics, including those of bonded centrals that are not connected.
package struct SubscriptionTable: Hashable, Sendable {
  private struct Subscription: Hashable, Sendable {
    let central: CentralID
    /// Whether the central is bonded and not connected: its subscription resumes when the central returns.
    var isAway = false
  }

  /// By value handle, in the order in which the centrals subscribed.
  private var table: [AttributeHandle: [Subscription]] = [:]

  package init() {}

  package func subscribers(of characteristic: AttributeHandle) -> [CentralID] {
    (table[characteristic] ?? []).filter { !$0.isAway }.map(\.central)
  }

  /// Includes bonded centrals that are not connected.
  package func retainedSubscribers(of characteristic: AttributeHandle) -> [CentralID] {
    subscribers(of: characteristic) + (table[characteristic] ?? []).filter(\.isAway).map(\.central)
  }

  package func isSubscribed(_ central: CentralID, to characteristic: AttributeHandle) -> Bool {
    table[characteristic]?.contains { $0.central == central && !$0.isAway } ?? false
  }

  /// - Returns: false if the central was already subscribed.
  package mutating func subscribe(_ central: CentralID, to characteristic: AttributeHandle) -> Bool {
    guard !isSubscribed(central, to: characteristic) else { return false }
    remove(central, from: characteristic)
    table[characteristic, default: []].append(Subscription(central: central))
    return true
  }

  /// - Returns: false if the central was not subscribed.
  package mutating func unsubscribe(_ central: CentralID, from characteristic: AttributeHandle) -> Bool {
    defer { remove(central, from: characteristic) }
    return isSubscribed(central, to: characteristic)
  }

  /// Returns the characteristics to which a disconnecting central was subscribed, ascending. The subscriptions of a
  /// bonded central are kept for its return.
  package mutating func disconnect(_ central: CentralID, isBonded: Bool) -> [AttributeHandle] {
    let characteristics = table.keys.sorted().filter { isSubscribed(central, to: $0) }
    for characteristic in characteristics {
      remove(central, from: characteristic)
      if isBonded { table[characteristic, default: []].append(Subscription(central: central, isAway: true)) }
    }
    return characteristics
  }

  /// Returns the characteristics to which a returning central is subscribed again, ascending.
  package mutating func reconnect(_ central: CentralID) -> [AttributeHandle] {
    let characteristics = table.filter { $0.value.contains { $0.central == central && $0.isAway } }.keys.sorted()
    for characteristic in characteristics {
      remove(central, from: characteristic)
      table[characteristic, default: []].append(Subscription(central: central))
    }
    return characteristics
  }

  /// Removes all subscriptions to the characteristics in that range, and returns those of connected centrals.
  package mutating func forget(
    _ range: ClosedRange<AttributeHandle>
  ) -> [(characteristic: AttributeHandle, central: CentralID)] {
    let characteristics = table.keys.sorted().filter { range.contains($0) }
    let present = characteristics.flatMap { characteristic in
      subscribers(of: characteristic).map { (characteristic: characteristic, central: $0) }
    }
    for characteristic in characteristics { table[characteristic] = nil }
    return present
  }

  private mutating func remove(_ central: CentralID, from characteristic: AttributeHandle) {
    table[characteristic]?.removeAll { $0.central == central }
    if table[characteristic]?.isEmpty == true { table[characteristic] = nil }
  }
}
