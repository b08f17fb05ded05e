import AppLink
import GATT
import Policy
import Preservation

/// Centrals that were subscribed before the system was started anew. bluetoothd has forgotten them and cannot be told;
/// their next write to the CCCD makes them subscribers again, and what is sent meanwhile is kept for them.
struct AwaitingSubscribers {
  struct Subscription: Hashable {
    let app: AppID
    let characteristic: CharacteristicID
    let central: CentralID
  }

  private struct Entry {
    let isBonded: Bool
    /// Oldest first.
    var updates: [[UInt8]]
    /// How many have given way.
    var dropped = 0
  }

  /// How many values are kept for each; the oldest gives way.
  static let limit = 32

  private var entries: [(subscription: Subscription, entry: Entry)] = []

  var isEmpty: Bool { entries.isEmpty }

  mutating func add(_ subscribers: [PreservedSubscriber], of app: AppID) {
    for subscriber in subscribers {
      let subscription = Subscription(
        app: app, characteristic: subscriber.characteristic, central: subscriber.central)
      entries.append((subscription, Entry(isBonded: subscriber.isBonded, updates: subscriber.updates)))
    }
  }

  /// Those of one characteristic, in the order in which they came.
  func centrals(of app: AppID, _ characteristic: CharacteristicID) -> [CentralID] {
    entries.lazy.map(\.subscription).filter { $0.app == app && $0.characteristic == characteristic }.map(\.central)
  }

  var centrals: Set<CentralID> { Set(entries.map(\.subscription.central)) }

  /// In the order in which they came, with how many values are kept for each, and how many have given way.
  var all: [(subscription: Subscription, kept: Int, dropped: Int)] {
    entries.map { ($0.subscription, $0.entry.updates.count, $0.entry.dropped) }
  }

  /// Keeps a value for those that wait for the characteristic; false where none does.
  mutating func keep(_ value: [UInt8], of app: AppID, _ characteristic: CharacteristicID) -> Bool {
    var isKept = false
    for index in entries.indices
    where entries[index].subscription.app == app && entries[index].subscription.characteristic == characteristic {
      isKept = true
      entries[index].entry.updates.append(value)
      guard entries[index].entry.updates.count > Self.limit else { continue }
      entries[index].entry.updates.removeFirst()
      entries[index].entry.dropped += 1
    }
    return isKept
  }

  /// The central has subscribed again: what was kept for it; nil where it was not awaited.
  mutating func take(_ subscription: Subscription) -> [[UInt8]]? {
    guard let index = entries.firstIndex(where: { $0.subscription == subscription }) else { return nil }
    return entries.remove(at: index).entry.updates
  }

  /// A central that is not connected and not bonded is no subscriber any more, as on iOS.
  mutating func lapse(unless isConnected: (CentralID) -> Bool) -> [Subscription] {
    let gone = entries.filter { !$0.entry.isBonded && !isConnected($0.subscription.central) }.map(\.subscription)
    entries.removeAll { gone.contains($0.subscription) }
    return gone
  }

  mutating func forget(_ app: AppID) { entries.removeAll { $0.subscription.app == app } }

  mutating func forget(_ app: AppID, _ service: ServiceID) {
    entries.removeAll { $0.subscription.app == app && $0.subscription.characteristic.service == service }
  }

  func preserved(of app: AppID) -> [PreservedSubscriber] {
    entries.filter { $0.subscription.app == app }.map { subscription, entry in
      PreservedSubscriber(
        central: subscription.central, isBonded: entry.isBonded, characteristic: subscription.characteristic,
        updates: entry.updates)
    }
  }
}
