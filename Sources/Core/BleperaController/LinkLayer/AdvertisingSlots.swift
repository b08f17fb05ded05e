import BleperaBluetooth
import BleperaHCIProtocol
import BleperaHost

/// The change of a command to a set, or to the only advertisement of a controller without sets.
enum SlotStep: Hashable, Sendable {
  case parameters(HCISetParameters)
  case address(DeviceAddress)
  /// The first octets of the data, or of the scan response.
  case data([UInt8], count: Int, isResponse: Bool)
  case enable
  case disable
  case remove
}

/// The advertisements that were asked for, and the sets of the controller.
struct AdvertisingSlots: Sendable {
  struct Advertisement: Sendable {
    var packets: AdvertisingPackets
    let lifetime: Duration?
    let events: Int?
    /// The address of this advertisement alone; nil for the adapter's.
    var address: DeviceAddress?
    /// When `address` changes.
    var addressEnd: Duration?
    /// The set; nil before the controller has answered how many there are.
    var slot: UInt8?
    var isReported = false
    /// Whether the controller refuses the advertisement while a link is up.
    var isDeferred = false
  }

  /// A set as the controller has it. The fields change when the controller has answered.
  struct Slot: Sendable {
    /// Nil where there is no set.
    var parameters: HCISetParameters?
    var address: DeviceAddress?
    var data: [UInt8] = []
    var response: [UInt8] = []
    /// Longer data of which the controller has only the first octets.
    var partial: (data: [UInt8], count: Int)?
    /// The advertisement that the set sends, or is being prepared for.
    var user: AdvertisementID?
    var isOn = false
    /// Whether a command was refused, so that the set is made again.
    var isDirty = false
    /// When a set is switched off again that the controller did not switch off.
    var retry: Duration?
    /// When a set without a user is removed.
    var idleEnd: Duration?
  }

  private(set) var advertisements: [AdvertisementID: Advertisement] = [:]
  var slots: [UInt8: Slot] = [:]
  private var sets = 1
  /// The advertisement whose turn it is in the last set where there are more advertisements than sets, and the end of
  /// the turn; nil until the advertisement is on the air.
  private(set) var turn: (id: AdvertisementID, end: Duration?)?

  /// How long a set without a user stays: a phone replaces an advertisement, and advertises again after a connection;
  /// ours.
  static let idleTime = Duration.seconds(1)
  /// How long an address of one advertisement is used, as on the virtual air.
  private static let addressTime = Duration.seconds(900)

  var isUsed: Bool { !advertisements.isEmpty }

  subscript(id: AdvertisementID) -> Advertisement? { advertisements[id] }

  // MARK: What was asked for

  mutating func add(
    _ id: AdvertisementID, _ packets: AdvertisingPackets, _ lifetime: Duration?, _ events: Int?,
    using random: inout RandomSource, at now: Duration
  ) {
    advertisements[id] = Advertisement(packets: packets, lifetime: lifetime, events: events)
    drawAddress(of: id, using: &random, at: now)
    assign(sets: sets)
  }

  mutating func replace(
    _ id: AdvertisementID, _ packets: AdvertisingPackets, using random: inout RandomSource, at now: Duration
  ) {
    guard let former = advertisements[id]?.packets else { return }
    advertisements[id]?.packets = packets
    if former.address != packets.address { drawAddress(of: id, using: &random, at: now) }
  }

  /// - Returns: whether there was such an advertisement.
  @discardableResult
  mutating func remove(_ id: AdvertisementID) -> Bool {
    guard advertisements.removeValue(forKey: id) != nil else { return false }
    assign(sets: sets)
    return true
  }

  mutating func removeAll() { advertisements = [:] }

  mutating func reported(_ id: AdvertisementID) { advertisements[id]?.isReported = true }

  mutating func `defer`(_ id: AdvertisementID) { advertisements[id]?.isDeferred = true }

  /// A link has ended: what the controller has refused may fit now.
  mutating func resume() { for id in advertisements.keys { advertisements[id]?.isDeferred = false } }

  private mutating func drawAddress(of id: AdvertisementID, using random: inout RandomSource, at now: Duration) {
    guard let kind = advertisements[id]?.packets.address else { return }
    let bits = random.next() & 0x3FFF_FFFF_FFFF
    let (address, end): (DeviceAddress?, Duration?) =
      switch kind {
      case .ofAdapter: (nil, nil)
      case .fixed(let address): (address, nil)
      case .changing: (.static(bits), now + Self.addressTime)
      case .nonresolvable: (DeviceAddress(bits: bits, isRandom: true), now + Self.addressTime)
      }
    advertisements[id]?.address = address
    advertisements[id]?.addressEnd = end
  }

  mutating func tick(at now: Duration, using random: inout RandomSource) {
    for (handle, slot) in slots where slot.retry.map({ $0 <= now }) == true { slots[handle]?.retry = nil }
    for (id, advertisement) in advertisements where advertisement.addressEnd.map({ $0 <= now }) == true {
      drawAddress(of: id, using: &random, at: now)
    }
  }

  // MARK: Sets

  /// Forgets what the controller has.
  mutating func close() {
    (slots, turn, sets) = ([:], nil, 1)
    for id in advertisements.keys { advertisements[id]?.slot = nil }
    resume()
  }

  /// Distributes the advertisements: each has its own set, and those for which there are not enough share the last one.
  mutating func assign(sets: Int) {
    self.sets = sets
    let ids = advertisements.keys.sorted()
    let lone = ids.prefix(ids.count <= sets ? ids.count : sets - 1)
    let last = UInt8(sets - 1)
    var free = Set(0..<(lone.count == ids.count ? UInt8(sets) : last))
    for id in lone where advertisements[id]?.slot.map({ free.remove($0) != nil }) != true {
      advertisements[id]?.slot = nil
    }
    for id in lone where advertisements[id]?.slot == nil {
      guard let advertisement = advertisements[id] else { continue }
      // A set that has the packets already is on the air with one command.
      let handle = free.min { rank($0, for: advertisement) < rank($1, for: advertisement) }
      advertisements[id]?.slot = handle
      if let handle { free.remove(handle) }
    }
    for id in ids.dropFirst(lone.count) { advertisements[id]?.slot = last }
  }

  private func rank(_ handle: UInt8, for advertisement: Advertisement) -> (Int, UInt8) {
    guard let slot = slots[handle], let parameters = slot.parameters else { return (2, handle) }
    guard slot.data == advertisement.packets.data else { return (3, handle) }
    return (parameters.properties == advertisement.packets.properties ? 1 : 3, handle)
  }

  /// The advertisements of a set, in the order of their numbers.
  func users(of handle: UInt8) -> [AdvertisementID] {
    advertisements.filter { $0.value.slot == handle }.keys.sorted()
  }

  /// The sets that the controller has, or is to have.
  var handles: [UInt8] { Set(slots.keys).union(advertisements.values.compactMap(\.slot)).sorted() }

  // MARK: Turns

  /// Passes the turn on where it has ended.
  ///
  /// - Parameter users: the advertisements that share a set.
  mutating func advanceTurn(among users: [AdvertisementID], at now: Duration) {
    guard let turn, users.contains(turn.id) else { return turn = users.first.map { ($0, nil) } }
    guard let end = turn.end, end <= now else { return }
    self.turn = ((users.first { $0 > turn.id } ?? users[0]), nil)
  }

  mutating func endTurns() { turn = nil }

  /// The turn of an advertisement begins that is on the air. Ours: the phone's own packet has time for one event, and
  /// an app's for four.
  mutating func beginTurn(of id: AdvertisementID, at now: Duration) {
    guard turn?.id == id, turn?.end == nil, let packets = advertisements[id]?.packets else { return }
    let interval = (packets.isOwn ? min(packets.interval, Self.turnInterval) : packets.interval) + Self.delay
    turn?.end = now + (packets.isOwn ? interval : interval * 4)
  }

  /// The longest interval of the phone's own packet while it shares a set; ours.
  static let turnInterval = Duration.milliseconds(100)
  /// The longest random delay of an advertising event (Core Specification, Vol 6, Part B, 4.4.2.2).
  private static let delay = Duration.milliseconds(10)

  /// - Parameter isFree: whether a command can be sent.
  func deadline(isFree: Bool) -> Duration? {
    let ends = advertisements.values.compactMap(\.addressEnd) + slots.values.compactMap(\.retry)
    guard isFree else { return ends.min() }
    return (ends + slots.values.compactMap(\.idleEnd) + [turn?.end].compactMap(\.self)).min()
  }
}

extension AdvertisingPackets {
  /// Extended PDUs are scannable or connectable, never both, and those that are scannable have no data.
  var properties: HCISetParameters.Properties {
    if isExtended { return isConnectable ? [.connectable] : isScannable && data.isEmpty ? [.scannable] : [] }
    return isConnectable ? [.legacy, .connectable, .scannable] : isScannable ? [.legacy, .scannable] : [.legacy]
  }
}
