package import BleperaDBus

/// Which central is subscribed to which characteristic, pieced together from what bluetoothd tells an application.
///
/// bluetoothd calls AcquireNotify with the device, which is the moment that counts: StartNotify follows without one,
/// and perhaps after a write of the same central's. StopNotify comes only when the last subscriber has left, so a
/// central that unsubscribes while another one stays is seen to leave when it disconnects or when the last one goes.
package struct SubscriberTable: Hashable, Sendable {
  package enum Change: Hashable, Sendable {
    case subscribed(ObjectPath)
    case unsubscribed(ObjectPath)
  }

  private struct Subscribers: Hashable, Sendable {
    var current: [ObjectPath] = []
    /// Bonded devices that disconnected: bluetoothd keeps their subscription and says nothing when they return.
    var away: [ObjectPath] = []
  }

  private var table: [ObjectPath: Subscribers] = [:]

  package init() {}

  package func subscribers(of characteristic: ObjectPath) -> [ObjectPath] { table[characteristic]?.current ?? [] }

  /// With the bonded devices that are not connected: bluetoothd keeps their subscription.
  package func keptSubscribers(of characteristic: ObjectPath) -> [ObjectPath] {
    table[characteristic].map { $0.current + $0.away } ?? []
  }

  package var isEmpty: Bool { table.values.allSatisfy(\.current.isEmpty) }

  /// AcquireNotify: the device is subscribed. Nil where it was already.
  package mutating func subscribe(_ device: ObjectPath, to characteristic: ObjectPath) -> Change? {
    var subscribers = table[characteristic, default: Subscribers()]
    subscribers.away.removeAll { $0 == device }
    let isNew = !subscribers.current.contains(device)
    if isNew { subscribers.current.append(device) }
    table[characteristic] = subscribers
    return isNew ? .subscribed(device) : nil
  }

  /// StopNotify: nobody is left.
  package mutating func stop(on characteristic: ObjectPath) -> [Change] {
    guard let subscribers = table.removeValue(forKey: characteristic) else { return [] }
    return subscribers.current.map { .unsubscribed($0) }
  }

  /// The device's subscriptions end, and come back with it where it is bonded.
  package mutating func disconnected(
    _ device: ObjectPath, isBonded: Bool
  ) -> [(characteristic: ObjectPath, change: Change)] {
    var changes: [(ObjectPath, Change)] = []
    for characteristic in table.keys.sorted() {
      guard var subscribers = table[characteristic] else { continue }
      if let index = subscribers.current.firstIndex(of: device) {
        subscribers.current.remove(at: index)
        if isBonded { subscribers.away.append(device) }
        changes.append((characteristic, .unsubscribed(device)))
      }
      table[characteristic] = subscribers
    }
    return changes
  }

  /// A bonded device is subscribed again to what it was subscribed to.
  package mutating func connected(_ device: ObjectPath) -> [(characteristic: ObjectPath, change: Change)] {
    var changes: [(ObjectPath, Change)] = []
    for characteristic in table.keys.sorted() {
      guard var subscribers = table[characteristic], let index = subscribers.away.firstIndex(of: device) else {
        continue
      }
      subscribers.away.remove(at: index)
      subscribers.current.append(device)
      table[characteristic] = subscribers
      changes.append((characteristic, .subscribed(device)))
    }
    return changes
  }

  /// bluetoothd has forgotten every subscription below that path: the service is gone, or the daemon.
  package mutating func forget(below root: ObjectPath) -> [(characteristic: ObjectPath, change: Change)] {
    var changes: [(ObjectPath, Change)] = []
    for characteristic in table.keys.sorted() where root == characteristic || root.isAncestor(of: characteristic) {
      changes += stop(on: characteristic).map { (characteristic, $0) }
    }
    return changes
  }
}
