/// Formats an AD structure.
package struct ADStructureText {
  package let structure: ADStructure

  package init(structure: ADStructure) { self.structure = structure }

  /// The type in JSON, such as `completeServiceUUIDs`.
  package var type: String {
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

  /// A short description.
  package var title: String {
    switch structure {
    case .flags(let flags): "flags \(Hex.string([flags.rawValue]))"
    case .serviceUUIDs(_, let isComplete): "service UUIDs, \(isComplete ? "complete" : "incomplete")"
    case .shortenedLocalName: "name, shortened"
    case .completeLocalName: "name, complete"
    case .txPowerLevel: "TX power level"
    case .serviceSolicitation: "service solicitation"
    case .serviceData: "service data"
    case .appearance: "appearance"
    case .manufacturerData where overflow != nil: "overflow area"
    case .manufacturerData(let company, let data): Self.title(of: data, company)
    case .other: "other data"
    }
  }

  private static func title(of data: [UInt8], _ company: UInt16) -> String {
    let items = company == OverflowArea.companyIdentifier ? AppleItem.items(in: data[...]) : []
    let names = items.compactMap { AppleItem.name(ofType: $0.type) }
    return names.isEmpty ? "manufacturer data" : "Apple's \(names.joined(separator: ", "))"
  }

  /// The content, item by item.
  package var items: [String] {
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

  /// Title and items in one line.
  package var text: String { "\(title): \(items.joined(separator: ", "))" }

  /// Length and type, and the header of the payload.
  package var head: String {
    let head = Hex.string(structure.bytes.prefix(ADStructure.headerLength), separator: " ")
    guard case .manufacturerData = structure else { return head }
    let company = "\(head) \(Hex.string(structure.payload[..<2]))"
    return overflow == nil ? company : "\(company) \(Hex.string([OverflowArea.itemType]))"
  }

  /// The bytes after `head`.
  package var body: String {
    guard case .manufacturerData = structure else { return Hex.string(structure.payload) }
    return Hex.string(structure.payload[(overflow == nil ? 2 : 3)...])
  }

  private var overflow: OverflowArea? { OverflowArea(structure) }

  private static func items(_ bits: [Int]) -> [String] {
    bits.enumerated().map { index, bit in index == 0 ? "\(bits.count == 1 ? "bit" : "bits") \(bit)" : "\(bit)" }
  }

  private static func items(_ flags: ADFlags) -> [String] {
    let names: [(ADFlags, String)] = [
      (.limitedDiscoverable, "limited discoverable"), (.generalDiscoverable, "discoverable"),
      (.brEdrNotSupported, "LE only"), (.simultaneousController, "dual mode"),
    ]
    return names.filter { flags.contains($0.0) }.map(\.1)
  }
}
