package import BleperaBluetooth

/// The subscriptions of connected centrals to characteristics.
package struct SubscriptionTable: Hashable, Sendable {
  /// By value handle, in the order in which the centrals subscribed.
  private var table: [AttributeHandle: [CentralID]] = [:]

  package init() {}

  package func subscribers(of characteristic: AttributeHandle) -> [CentralID] { table[characteristic] ?? [] }

  /// The characteristics to which a central is subscribed, ascending.
  package func characteristics(of central: CentralID) -> [AttributeHandle] {
    table.filter { $0.value.contains(central) }.keys.sorted()
  }

  /// - Returns: false if the central was already subscribed.
  package mutating func subscribe(_ central: CentralID, to characteristic: AttributeHandle) -> Bool {
    guard !subscribers(of: characteristic).contains(central) else { return false }
    table[characteristic, default: []].append(central)
    return true
  }

  /// - Returns: false if the central was not subscribed.
  package mutating func unsubscribe(_ central: CentralID, from characteristic: AttributeHandle) -> Bool {
    guard subscribers(of: characteristic).contains(central) else { return false }
    table[characteristic]?.removeAll { $0 == central }
    if table[characteristic]?.isEmpty == true { table[characteristic] = nil }
    return true
  }

  /// Removes all subscriptions to the characteristics in that range, and returns them.
  package mutating func forget(
    _ range: ClosedRange<AttributeHandle>
  ) -> [(characteristic: AttributeHandle, central: CentralID)] {
    table.keys.sorted().filter { range.contains($0) }.flatMap { characteristic in
      (table.removeValue(forKey: characteristic) ?? []).map { (characteristic: characteristic, central: $0) }
    }
  }
}
