package import BleperaDBus

/// The subscribed centrals of each characteristic, derived from bluetoothd's calls to an application.
///
/// AcquireNotify, which names the device, counts as the subscription: StartNotify follows without a device, possibly
/// after a write by the same central. StopNotify is called only for the last subscriber, so a central without a stream
/// (`NotifyStreams`) that unsubscribes while others remain subscribed is removed when it disconnects or when the last
/// one unsubscribes.
package struct SubscriberTable: Hashable, Sendable {
  package enum Change: Hashable, Sendable {
    case subscribed(ObjectPath)
    case unsubscribed(ObjectPath)
  }

  private struct Subscribers: Hashable, Sendable {
    var current: [ObjectPath] = []
    /// Disconnected bonded devices: bluetoothd keeps their subscription and does not report their return.
    var away: [ObjectPath] = []
  }

  private var table: [ObjectPath: Subscribers] = [:]

  package init() {}

  package func subscribers(of characteristic: ObjectPath) -> [ObjectPath] { table[characteristic]?.current ?? [] }

  /// Includes bonded devices that are not connected: bluetoothd keeps their subscription.
  package func retainedSubscribers(of characteristic: ObjectPath) -> [ObjectPath] {
    table[characteristic].map { $0.current + $0.away } ?? []
  }

  package var isEmpty: Bool { table.values.allSatisfy(\.current.isEmpty) }

  /// AcquireNotify: the device is subscribed. Nil if the device was already subscribed.
  package mutating func subscribe(_ device: ObjectPath, to characteristic: ObjectPath) -> Change? {
    var subscribers = table[characteristic, default: Subscribers()]
    subscribers.away.removeAll { $0 == device }
    let isNew = !subscribers.current.contains(device)
    if isNew { subscribers.current.append(device) }
    table[characteristic] = subscribers
    return isNew ? .subscribed(device) : nil
  }

  /// The device has unsubscribed. Nil if it was not subscribed.
  package mutating func unsubscribe(_ device: ObjectPath, from characteristic: ObjectPath) -> Change? {
    guard let index = table[characteristic]?.current.firstIndex(of: device) else { return nil }
    table[characteristic]?.current.remove(at: index)
    return .unsubscribed(device)
  }

  /// StopNotify: no subscriber remains.
  package mutating func stop(on characteristic: ObjectPath) -> [Change] {
    guard let subscribers = table.removeValue(forKey: characteristic) else { return [] }
    return subscribers.current.map { .unsubscribed($0) }
  }

  /// Ends the device's subscriptions; a bonded device's subscriptions resume when the device returns.
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

  /// Resumes the subscriptions of a bonded device.
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

  /// Removes every subscription below that path: the service was removed or the daemon has ended.
  package mutating func forget(below root: ObjectPath) -> [(characteristic: ObjectPath, change: Change)] {
    var changes: [(ObjectPath, Change)] = []
    for characteristic in table.keys.sorted() where root == characteristic || root.isAncestor(of: characteristic) {
      changes += stop(on: characteristic).map { (characteristic, $0) }
    }
    return changes
  }
}
