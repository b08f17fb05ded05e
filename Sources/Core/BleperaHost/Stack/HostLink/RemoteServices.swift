import BleperaBluetooth

/// The services of a peer, as far as they are known, and what has changed of them.
struct RemoteServices: Sendable {
  private(set) var services: [RemoteService] = []
  /// The Device Name; nil until it is read, and of a peer without one.
  var name: String?
  /// The handles in which services have changed.
  private var changes: [ClosedRange<AttributeHandle>] = []
  /// Whether others than `changes` are being discovered.
  private var isFollowing = false
  /// Whether a phone knows the services, but for `changes`.
  private var isComplete = false

  /// The services that a phone does not discover again; nil where it has to.
  var known: [RemoteService]? { isComplete && changes.isEmpty ? services : nil }

  /// The value handle of Service Changed.
  var serviceChanged: AttributeHandle? { services.characteristic(AttributeTypes.serviceChanged)?.value }

  /// All services are discovered again.
  mutating func forget() { (isComplete, changes) = (false, []) }

  /// - Parameter isWanted: whether a phone has asked for them.
  mutating func know(_ all: [RemoteService], isWanted: Bool = false) {
    services = all
    if isWanted { isComplete = true }
  }

  /// The services of a range that has changed have been discovered.
  mutating func replace(_ range: ClosedRange<AttributeHandle>, with found: [RemoteService]) {
    let others = services.filter { !$0.range.overlaps(range) }
    services = (others + found).sorted { $0.range.lowerBound < $1.range.lowerBound }
    isFollowing = false
  }

  /// Takes the value of Service Changed. Returns the range; nil for a value that is none.
  mutating func changed(_ value: [UInt8]) -> ClosedRange<AttributeHandle>? {
    guard value.count == 4 else { return nil }
    let (start, end): (UInt16, UInt16) = (LittleEndian.number(value[..<2]), LittleEndian.number(value[2...]))
    guard start <= end else { return nil }
    let range = AttributeHandle(rawValue: max(1, start))...AttributeHandle(rawValue: max(1, end))
    changes.append(range)
    return range
  }

  /// Returns the search for what has changed, one change after the other.
  ///
  /// - Parameter comparing: whether services that are as they were are not looked into again, like by bluetoothd.
  mutating func followChange(comparing: Bool) -> ServiceDiscovery? {
    guard !isFollowing, !changes.isEmpty else { return nil }
    let changed = changes.removeFirst()
    isFollowing = true
    return ServiceDiscovery(of: changed, known: comparing ? services.filter { changed.overlaps($0.range) } : nil)
  }
}
