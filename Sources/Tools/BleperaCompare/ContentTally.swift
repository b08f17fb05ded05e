import BleperaBluetooth
import BleperaRules

/// Counts the layouts, items and TX powers of a phone's advertisements, for the rules' values that they show.
struct ContentTally: Hashable, Sendable {
  private(set) var layouts = Tally<String>()
  private var powers = Tally<Int?>()
  private var places = Tally<TXPowerPlace>()
  private var items = Tally<[UInt8]>()
  private var samples: [[UInt8]: [AppleItem]] = [:]
  /// The bytes that were in use where a name was shortened, by the name of the rule's value that limits them.
  private var rooms: [String: Tally<Int>] = [:]
  /// The services that stayed in the advertisement while others moved to the overflow area.
  private var listed = Tally<[BluetoothUUID]>()

  mutating func add(_ content: PhoneContent, hasItems: Bool = true) {
    if content.kind == .foreground {
      addRooms(content)
      if content.overflow?.isEmpty == false { listed.add(AdvertisedContent(content.structures).serviceUUIDs) }
    }
    guard content.kind == .own || content.kind == .background else { return }
    powers.add(content.transmitPower?.level)
    if let power = content.transmitPower { places.add(power.isLast ? .last : .afterFlags) }
    guard hasItems else { return }
    let heads = content.items.flatMap { $0.bytes.prefix(2) }
    items.add(heads)
    if items.counts[heads] != nil { samples[heads] = content.items }
  }

  /// Counts the bytes in use: a shortened name fills all the room that the rules leave.
  private mutating func addRooms(_ content: PhoneContent) {
    if content.structures.contains(where: \.isShortenedName) {
      let used = content.structures.filter { $0.isShortenedName || $0.isServiceList }.reduce(0) { $0 + $1.length }
      rooms["foregroundBudget", default: Tally()].add(used)
    }
    if let name = content.response.first(where: \.isShortenedName) {
      let hasOverflow = OverflowArea(in: content.response) != nil
      rooms[hasOverflow ? "scanResponseNameBudget" : "emptyScanResponseNameBudget", default: Tally()].add(name.length)
    }
  }

  /// Whether `listed` is what first fit selects of the services. The room is taken as the length of `listed`, because a
  /// service that did not fit into the real room does not fit into a smaller one.
  private static func isOrdered(_ listed: [BluetoothUUID], of services: [BluetoothUUID]) -> Bool {
    let fitting = AdvertisingBudget.fit(serviceUUIDs: services, into: AdvertisingBudget.length(of: listed)).fitting
    return listed.count < services.count && Set(fitting) == Set(listed)
  }

  /// - Parameter packets: the number of packets with the content.
  mutating func addLayout(_ content: PhoneContent, _ packets: Int = 1) {
    guard !content.structures.isEmpty else { return }
    layouts.add("\(content.kind): \(content.layout)", packets)
  }

  /// - Parameter services: the services that the app advertises, in the app's order.
  func measurements(of services: [BluetoothUUID] = []) -> [Measurement] {
    var found: [Measurement] = []
    if let power = powers.most {
      found.append(
        Measurement("txPowerLevel", power.value.map { .number($0) } ?? .none, packets: power.count))
    }
    if let place = places.most {
      found.append(Measurement("txPowerPlace", .word(place.value.rawValue), packets: place.count))
    }
    if let heads = items.most, let sample = samples[heads.value] {
      found.append(
        Measurement("backgroundAppleItems", .list(sample.map { .bytes($0.bytes) }), packets: heads.count))
    }
    for (name, room) in rooms {
      if let most = room.most { found.append(Measurement(name, .number(most.value), packets: most.count)) }
    }
    let ordered = listed.counts.reduce(0) { $0 + (Self.isOrdered($1.key, of: services) ? $1.value : 0) }
    if ordered > 0 {
      found.append(Measurement("overflowOrder", .word(OverflowOrder.firstFit.rawValue), packets: ordered))
    }
    return found
  }
}

extension ADStructure {
  fileprivate var isShortenedName: Bool { if case .shortenedLocalName = self { true } else { false } }
  fileprivate var isServiceList: Bool { if case .serviceUUIDs = self { true } else { false } }
}
