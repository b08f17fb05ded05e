import BleperaAppLink
import BleperaBluetooth
import BleperaRules

/// A peripheral that the phone has received or is connected to.
struct KnownPeripheral {
  /// The identifier for apps.
  let id: PeripheralID
  /// As the radio knows it: the identity address if bonded, else the address on the air.
  var address: PeripheralID
  var isBonded = false
  /// The local name that the peripheral advertised last.
  var advertisedName: String?
  /// The value of Device Name; nil until it is read.
  var deviceName: String?
  /// The phone's time when it was received last, or its connection ended.
  var lastSeen: Duration
  var cache = GATTCache()

  /// `CBPeripheral.name`: the Device Name once it was read.
  var name: String? { deviceName ?? advertisedName }
}

/// The peripherals that the phone knows (facts of `CBPeer.identifier`: one for each phone and peer, made at discovery).
/// A peripheral that nobody holds may be forgotten (R17).
struct KnownPeripherals {
  private var records: [PeripheralID: KnownPeripheral] = [:]
  /// The identifiers for apps, by address.
  private var identifiers: [PeripheralID: PeripheralID] = [:]
  private var nextCleaning = Duration.zero

  var count: Int { records.count }

  /// Ascending.
  func all(where isIncluded: (KnownPeripheral) -> Bool) -> [KnownPeripheral] {
    records.values.filter(isIncluded).sorted { $0.id < $1.id }
  }

  subscript(id: PeripheralID) -> KnownPeripheral? { records[id] }

  func identifier(of address: PeripheralID) -> PeripheralID? { identifiers[address] }

  /// The identifier of the peripheral with that address, which is known from now on.
  mutating func identifier(of address: PeripheralID, at now: Duration) -> PeripheralID {
    if let id = identifiers[address] { return id }
    var id = address.forApps
    // A bonded peripheral keeps the identifier of the address by which it was discovered; another one may get that
    // address later.
    if records[id] != nil { id = PeripheralID(rawValue: "\(address) 2").forApps }
    add(KnownPeripheral(id: id, address: address, lastSeen: now))
    return id
  }

  mutating func add(_ record: KnownPeripheral) {
    records[record.id] = record
    identifiers[record.address] = record.id
  }

  mutating func change(_ id: PeripheralID, _ body: (inout KnownPeripheral) -> Void) {
    if let index = records.index(forKey: id) { body(&records.values[index]) }
  }

  /// The peripheral has another address from now on, as its identity is known.
  mutating func move(_ id: PeripheralID, to address: PeripheralID) {
    guard let old = records[id]?.address, old != address else { return }
    identifiers[old] = nil
    if let other = identifiers[address] { records[other] = nil }
    identifiers[address] = id
    records[id]?.address = address
  }

  /// Forgets what nobody holds.
  mutating func clean(at now: Duration, _ rules: RuleSet, isHeld: (PeripheralID) -> Bool) {
    let limit = rules.identifierLimit.value
    guard now >= nextCleaning || records.count > limit else { return }
    nextCleaning = now + .seconds(600)
    let loose = records.values.filter { RuleSet.mayForget($0.address, isBonded: $0.isBonded) && !isHeld($0.id) }
    for record in loose where record.lastSeen + rules.identifierLifetime.value <= now { remove(record) }
    guard records.count > limit else { return }
    // A tenth at once, because this sorts them all.
    let oldest = loose.filter { records[$0.id] != nil }.sorted { $0.lastSeen < $1.lastSeen }
    for record in oldest.prefix(records.count - limit * 9 / 10) { remove(record) }
  }

  private mutating func remove(_ record: KnownPeripheral) {
    records[record.id] = nil
    identifiers[record.address] = nil
  }

  /// Empties all caches: Bluetooth is off.
  mutating func emptyCaches() { for id in Array(records.keys) { records[id]?.cache = GATTCache() } }
}
