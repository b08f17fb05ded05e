import GATT
import Profile

/// What an AD structure is, for a person.
struct ADStructureText {
  let structure: ADStructure

  /// The name of its case, as `completeServiceUUIDs`.
  var type: String {
    switch structure {
    case .flags: "flags"
    case .serviceUUIDs(_, let isComplete): isComplete ? "completeServiceUUIDs" : "incompleteServiceUUIDs"
    case .shortenedLocalName: "shortenedLocalName"
    case .completeLocalName: "completeLocalName"
    case .txPowerLevel: "txPowerLevel"
    case .serviceSolicitation: "serviceSolicitation"
    case .serviceData: "serviceData"
    case .appearance: "appearance"
    case .manufacturerData: "manufacturerData"
    case .other: "other"
    }
  }

  /// A word or two.
  var title: String {
    switch structure {
    case .flags(let flags): "flags \(Hex.string([flags.rawValue]))"
    case .serviceUUIDs(_, let isComplete): "service UUIDs, \(isComplete ? "complete" : "incomplete")"
    case .shortenedLocalName: "name, shortened"
    case .completeLocalName: "name, complete"
    case .txPowerLevel: "TX power level"
    case .serviceSolicitation: "service solicitation"
    case .serviceData: "service data"
    case .appearance: "appearance"
    case .manufacturerData: overflow == nil ? "manufacturer data" : "overflow area"
    case .other: "other data"
    }
  }

  /// What it says, piece by piece.
  var items: [String] {
    switch structure {
    case .flags(let flags): Self.items(flags)
    case .serviceUUIDs(let list, _), .serviceSolicitation(let list): list.uuids.map { "\($0)" }
    case .shortenedLocalName(let name), .completeLocalName(let name): [Quote.text(name)]
    case .txPowerLevel(let level): ["\(level) dBm"]
    case .serviceData(let uuid, let data): ["\(uuid)", Hex.string(data)]
    case .appearance(let value): [Hex.string([UInt8(value >> 8), UInt8(value & 0xFF)])]
    case .manufacturerData(_, let data):
      overflow.map { Self.items($0.bits) } ?? [Hex.string(data)]
    case .other(_, let data): [Hex.string(data)]
    }
  }

  /// All in one line.
  var text: String { "\(title): \(items.joined(separator: ", "))" }

  /// Length and type, and what of the payload is a header too.
  var head: String {
    let head = Hex.string(structure.bytes.prefix(ADStructure.headerLength), separator: " ")
    guard case .manufacturerData = structure else { return head }
    let company = "\(head) \(Hex.string(structure.payload[..<2]))"
    return overflow == nil ? company : "\(company) \(Hex.string([OverflowArea.itemType]))"
  }

  /// The bytes behind `head`.
  var body: String {
    guard case .manufacturerData = structure else { return Hex.string(structure.payload) }
    return Hex.string(structure.payload[(overflow == nil ? 2 : 3)...])
  }

  private var overflow: OverflowArea? { try? OverflowArea(decoding: structure.bytes) }

  private static func items(_ bits: [Int]) -> [String] {
    bits.enumerated().map { index, bit in index == 0 ? "\(bits.count == 1 ? "bit" : "bits") \(bit)" : "\(bit)" }
  }

  private static func items(_ flags: ADFlags) -> [String] {
    let names: [(ADFlags, String)] = [
      (.limitedDiscoverable, "discoverable for a time"), (.generalDiscoverable, "discoverable"),
      (.brEdrNotSupported, "LE only"), (.simultaneousController, "dual mode"),
    ]
    return names.filter { flags.contains($0.0) }.map(\.1)
  }
}
