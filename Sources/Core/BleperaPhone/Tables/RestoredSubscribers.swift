import BleperaBluetooth
import BleperaLoop
import BleperaPreservation
import BleperaRules

/// Centrals that were subscribed when the phone ended. The radio has lost their subscriptions and cannot restore them;
/// their next write to the CCCD makes them subscribers again, and updates are kept for them meanwhile.
struct RestoredSubscribers {
  struct Subscription: Hashable {
    let app: AppID
    let characteristic: CharacteristicID
    let central: CentralID
  }

  private struct Entry {
    let isBonded: Bool
    /// Oldest first.
    var updates: [[UInt8]]
    /// The number of older updates that were discarded.
    var dropped = 0
  }

  /// The maximum number of updates kept for each subscription; beyond the limit the oldest is discarded.
  static let limit = 32

  private var entries: [(subscription: Subscription, entry: Entry)] = []
  /// The updates that are about to be sent to centrals that have just subscribed again.
  private var resuming: [Subscription: [[UInt8]]] = [:]

  /// How long a central may stay connected without subscribing again; nil for no limit.
  private let staleLimit: Duration?
  private var staleTimers: [CentralID: any LoopTimer] = [:]

  init(staleLimit: Duration? = nil) { self.staleLimit = staleLimit }

  var isEmpty: Bool { entries.isEmpty }

  /// Whether updates are about to be sent to centrals.
  var isResuming: Bool { !resuming.isEmpty }

  mutating func add(_ subscribers: [PreservedSubscriber], of app: AppID) {
    for subscriber in subscribers {
      let subscription = Subscription(
        app: app, characteristic: subscriber.characteristic, central: subscriber.central)
      entries.append((subscription, Entry(isBonded: subscriber.isBonded, updates: subscriber.updates)))
    }
  }

  /// The restored subscribers of a characteristic, in the order in which they subscribed.
  func centrals(of app: AppID, _ characteristic: CharacteristicID) -> [CentralID] {
    entries.lazy.map(\.subscription).filter { $0.app == app && $0.characteristic == characteristic }.map(\.central)
  }

  var centrals: Set<CentralID> { Set(entries.map(\.subscription.central)) }

  /// In the order in which they subscribed, with the number of updates kept and discarded.
  var all: [(subscription: Subscription, kept: Int, dropped: Int)] {
    entries.map { ($0.subscription, $0.entry.updates.count, $0.entry.dropped) }
  }

  /// Keeps an update for each restored subscriber of the characteristic; false where there is none. A value is cut to
  /// the length of the longest notification.
  ///
  /// - Parameter centrals: nil for all of them.
  mutating func keep(
    _ value: [UInt8], of app: AppID, _ characteristic: CharacteristicID, for centrals: [CentralID]?
  ) -> Bool {
    var isKept = false
    for index in entries.indices {
      let subscription = entries[index].subscription
      guard subscription.app == app, subscription.characteristic == characteristic,
        centrals?.contains(subscription.central) ?? true
      else { continue }
      isKept = true
      entries[index].entry.updates.append(Array(value.prefix(AttributeValue.maximumPacketLength)))
      guard entries[index].entry.updates.count > Self.limit else { continue }
      entries[index].entry.updates.removeFirst()
      entries[index].entry.dropped += 1
    }
    return isKept
  }

  /// A central has subscribed again: whether updates were kept for it, which `finishResuming` returns with those that
  /// follow until then; nil where it is not a restored subscriber.
  mutating func resume(_ subscription: Subscription) -> Bool? {
    guard let index = entries.firstIndex(where: { $0.subscription == subscription }) else { return nil }
    let updates = entries.remove(at: index).entry.updates
    if !updates.isEmpty { resuming[subscription] = updates }
    return !updates.isEmpty
  }

  /// Adds an update to those that are about to be sent to a central; false where none are.
  mutating func append(_ value: [UInt8], toResuming subscription: Subscription) -> Bool {
    resuming[subscription]?.append(value) != nil
  }

  mutating func finishResuming(_ subscription: Subscription) -> [[UInt8]] {
    resuming.removeValue(forKey: subscription) ?? []
  }

  /// Removes centrals that are neither connected nor bonded (ours).
  mutating func removeExpired(unless isConnected: (CentralID) -> Bool) -> [Subscription] {
    let gone = entries.filter { !$0.entry.isBonded && !isConnected($0.subscription.central) }.map(\.subscription)
    entries.removeAll { gone.contains($0.subscription) }
    return gone
  }

  /// Starts a timer for each connected central that has none and must subscribe again.
  mutating func startTimers(
    connected: Set<CentralID>, _ start: (CentralID, _ after: Duration) -> any LoopTimer
  ) {
    guard let staleLimit else { return }
    for central in centrals where connected.contains(central) && staleTimers[central] == nil {
      staleTimers[central] = start(central, staleLimit)
    }
  }

  /// The timer of a central has ended; whether it has not subscribed again.
  mutating func isStale(_ central: CentralID) -> Bool {
    staleTimers[central] = nil
    return centrals.contains(central)
  }

  mutating func forget(_ app: AppID) { entries.removeAll { $0.subscription.app == app } }

  mutating func forget(_ central: CentralID) { entries.removeAll { $0.subscription.central == central } }

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
