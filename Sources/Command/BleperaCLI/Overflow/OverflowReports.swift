import BleperaBluetooth
import BleperaRules

/// The result of `blepera overflow encode`.
struct OverflowEncodeReport: CommandReport, Equatable {
  let area: OverflowArea
  let services: [Service]
  let collisions: [Collision]

  struct Service: Encodable, Equatable {
    let uuid: String
    let bit: Int
    let filter: AndroidFilter?
  }

  /// Different UUIDs that share a bit.
  struct Collision: Equatable {
    let bit: Int
    let uuids: [String]
  }

  /// - Parameter isAndroid: whether each UUID has the filter of an Android app.
  init(_ uuids: [BluetoothUUID], isAndroid: Bool = false) {
    area = OverflowArea(uuids)
    services = uuids.map {
      Service(uuid: "\($0)", bit: OverflowArea.bit(of: $0), filter: isAndroid ? AndroidFilter($0) : nil)
    }
    collisions = OverflowArea.collisions(among: uuids).map { group in
      Collision(bit: OverflowArea.bit(of: group[0]), uuids: group.map { "\($0)" })
    }
  }

  private enum CodingKeys: CodingKey {
    case ad, mask, services, collisions
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(Hex.string(area.structure.bytes), forKey: .ad)
    try container.encode(Hex.string(area.bytes), forKey: .mask)
    try container.encode(services, forKey: .services)
    try container.encode(collisions.map(\.uuids), forKey: .collisions)
  }

  func lines(for terminal: Terminal) -> [String] {
    let text = OverflowText(terminal: terminal)
    let colliding = Set(collisions.map(\.bit))
    let rows = services.map { text.bit($0.bit, isSet: true, isMarked: colliding.contains($0.bit)) + "  \($0.uuid)" }
    let notes = collisions.map { collision in
      let uuids = collision.uuids.joined(separator: ", ")
      return "\(terminal.styled("collision:", .yellow)) bit \(collision.bit) is shared by \(uuids)"
    }
    let filters = zip(rows, services).compactMap { row, service in
      service.filter.map { [row, "data  \($0.data)", "mask  \($0.mask)"] }
    }
    if !filters.isEmpty { return Array(filters.joined(separator: [""])) + (notes.isEmpty ? [] : [""] + notes) }
    return rows + notes + ["", text.hex("AD", area.structure.bytes), text.hex("mask", area.bytes), ""]
      + text.grid(area, marked: colliding)
  }
}

/// The arguments of `ScanFilter.Builder.setManufacturerData` after the company, as hexadecimal digits: an advertisement
/// passes whose bytes equal `data` in the bits of `mask`.
struct AndroidFilter: Encodable, Equatable {
  let data: String
  let mask: String

  init(_ uuid: BluetoothUUID) {
    let bytes = OverflowArea([uuid]).bytes
    data = Hex.string([OverflowArea.itemType] + bytes)
    mask = Hex.string([0xFF] + bytes)
  }
}

/// The result of Android's `ScanRecord.getManufacturerSpecificData` for Apple, as hexadecimal digits.
struct AndroidData: Encodable, Equatable {
  /// The data of the last AD structure, which Android returns up to version 15.
  let last: String
  /// The joined data of all AD structures, which Android returns from version 16 on, and version 15 with a flag.
  let joined: String

  /// Returns nil if both are equal.
  init?(of bytes: [UInt8], _ area: OverflowArea) {
    let data = OverflowArea.appleData(in: bytes)
    joined = Hex.string(data.flatMap(\.self))
    // The joined data ends with the data of the scan response.
    last = Hex.string(data.count > 1 ? data.last ?? [] : [OverflowArea.itemType] + area.bytes)
    if data.isEmpty || joined == last { return nil }
  }
}

/// The result of `blepera overflow decode`.
struct OverflowDecodeReport: CommandReport, Equatable {
  let area: OverflowArea
  let android: AndroidData?
  let candidates: [Candidate]?
  /// The bits that no candidate explains.
  let unexplained: [Int]?

  struct Candidate: Encodable, Equatable {
    let uuid: String
    let bit: Int
    /// Whether the bit is set, by this UUID or by another.
    let maybe: Bool
  }

  init(_ input: OverflowInput, candidates uuids: [BluetoothUUID] = []) {
    let area = input.area
    self.area = area
    android = AndroidData(of: input.bytes, area)
    guard !uuids.isEmpty else {
      candidates = nil
      unexplained = nil
      return
    }
    candidates = uuids.map { uuid in
      Candidate(uuid: "\(uuid)", bit: OverflowArea.bit(of: uuid), maybe: area.contains(uuid))
    }
    let explained = OverflowArea(uuids)
    unexplained = area.bits.filter { !explained.contains(bit: $0) }
  }

  private enum CodingKeys: CodingKey {
    case bits, mask, android, candidates, unexplained
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(area.bits, forKey: .bits)
    try container.encode(Hex.string(area.bytes), forKey: .mask)
    try container.encodeIfPresent(android, forKey: .android)
    try container.encodeIfPresent(candidates, forKey: .candidates)
    try container.encodeIfPresent(unexplained, forKey: .unexplained)
  }

  func lines(for terminal: Terminal) -> [String] {
    let text = OverflowText(terminal: terminal)
    let marked = Set(unexplained ?? [])
    var lines: [String] = []
    for candidate in candidates ?? [] {
      let answer = candidate.maybe ? terminal.styled("maybe", .green) : terminal.styled("no   ", .dim)
      lines.append("\(text.bit(candidate.bit, isSet: candidate.maybe))  \(answer)  \(candidate.uuid)")
    }
    for bit in marked.sorted() { lines.append("\(text.bit(bit, isSet: true, isMarked: true))  set by no candidate") }
    if candidates == nil { lines += area.bits.map { text.bit($0, isSet: true) } }
    if area.isEmpty { lines.append("no bit is set") }
    let both = android.map { ["", "Android to 15    \($0.last)", "Android from 16  \($0.joined)"] } ?? []
    return lines + ["", text.hex("mask", area.bytes)] + both + [""] + text.grid(area, marked: marked)
  }
}

/// The result of `blepera overflow find`.
struct OverflowFindReport: CommandReport, Equatable {
  let bits: [Found]

  struct Found: Encodable, Equatable {
    let bit: Int
    /// A UUID of 128 bits that sets the bit.
    let uuid: String
    /// A UUID of 16 bits that sets the bit.
    let shortUUID: String
  }

  /// Skips bits out of range.
  init(_ bits: [Int]) {
    self.bits = bits.compactMap { bit in
      guard let uuid = OverflowArea.uuid(forBit: bit), let short = OverflowArea.shortUUID(forBit: bit) else {
        return nil
      }
      return Found(bit: bit, uuid: "\(uuid)", shortUUID: "\(short)")
    }
  }

  func lines(for terminal: Terminal) -> [String] {
    let text = OverflowText(terminal: terminal)
    return bits.map { "\(text.bit($0.bit, isSet: true))  \($0.uuid)  or \($0.shortUUID)" }
  }
}

/// A bit of the overflow area that is set, with the UUIDs and apps that set it.
struct OverflowBitReport: Encodable, Equatable {
  let bit: Int
  /// The UUIDs without duplicates; more than one UUID is a collision.
  let uuids: [String]
  let apps: [String]

  var isCollision: Bool { uuids.count > 1 }

  /// The reports of all bits that are set, in the order of the bits.
  static func all(_ entries: [OverflowEntry], names: [AppID: String]) -> [OverflowBitReport] {
    Dictionary(grouping: entries, by: \.bit).sorted { $0.key < $1.key }.map { bit, entries in
      var uuids: [BluetoothUUID] = []
      var apps: [String] = []
      for entry in entries {
        if !uuids.contains(entry.uuid) { uuids.append(entry.uuid) }
        if let name = names[entry.app], !apps.contains(name) { apps.append(name) }
      }
      return OverflowBitReport(bit: bit, uuids: uuids.map { "\($0)" }, apps: apps)
    }
  }
}
