import BleperaBlueZ
import BleperaBluetooth
import BleperaProfile
import BleperaPropertyLists
import BleperaRadio
import BleperaRules

/// Formats packets: one or two lines for each AD structure, with its length at the right edge.
struct PacketText {
  let terminal: Terminal
  let width: Int

  /// The column of the meaning; longer bytes have a line of their own.
  private var start: Int { width >= 86 ? 48 : 12 }

  func phone(_ state: StateExplanation) -> TextSection {
    let title = "iPhone, \(state.state.rawValue)"
    guard let phone = state.plan.phone else {
      let suppression = TextLayout.wrapped(state.suppression ?? "", to: width).map { terminal.styled($0, .yellow) }
      return TextSection(title: title, groups: [suppression])
    }
    let budgets = [
      sum("used by UUIDs and name", phone.budgetUsed, state.rules.foregroundBudget.value),
      sum("used by the name alone", phone.nameBudgetUsed, phone.nameBudget),
    ]
    return TextSection(
      title: title,
      groups: [
        [TextLayout.spread("interval", state.plan.interval.map { "\($0)" } ?? "", over: width)],
        packet("advertisement", phone.advertisingData), packet("scan response", phone.scanResponse), budgets,
      ])
  }

  func bluez(_ state: StateExplanation) -> TextSection {
    let advertisements = state.bluez
    let intervals = advertisements.first?.interval.map { "\($0)" }
    let packets = advertisements.enumerated().flatMap { index, advertisement in
      let number = advertisements.count > 1 ? " \(index + 1)" : ""
      return [
        packet("advertisement\(number)", advertisement.advertisingData),
        packet("scan response\(number)", advertisement.scanResponse),
      ]
    }
    return TextSection(
      title: "BlueZ\(state.isExact ? " with --exact" : ""), \(state.state.rawValue)",
      groups: [intervals.map { [TextLayout.spread("interval", $0, over: width)] } ?? ["Nothing is advertised."]]
        + packets)
  }

  private func packet(_ title: String, _ data: AdvertisingData) -> [String] {
    let room = AdvertisingBudget.legacyMaximum
    let length = data.structures.isEmpty ? "empty" : "\(data.length) of \(room)"
    return [TextLayout.spread(terminal.styled(title, .cyan), length, over: width)]
      + data.structures.flatMap { structure($0) }
  }

  private func structure(_ structure: ADStructure) -> [String] {
    let text = ADStructureText(structure: structure)
    let length = "\(structure.length)"
    var meaning = [text.text]
    if start + text.text.count + 1 + length.count > width {
      meaning = [text.title] + TextLayout.list(text.items, to: width - start)
    }
    var bytes = self.bytes(text)
    if bytes.last.map({ TextLayout.width($0) >= start - 1 }) ?? true { bytes.append("") }
    let first = TextLayout.padded(bytes.removeLast(), to: start) + meaning[0]
    let line = first + TextLayout.spaces(width - TextLayout.width(first) - length.count) + length
    return bytes + [line] + meaning.dropFirst().map { TextLayout.spaces(start) + $0 }
  }

  /// Splits a payload that is too long for one line.
  private func bytes(_ text: ADStructureText) -> [String] {
    let indent = text.head.count + 1
    let body = TextLayout.chunks(text.body, of: (width - indent) / 2 * 2)
    let lines =
      body.isEmpty
      ? [text.head]
      : body.enumerated().map { index, part in
        (index == 0 ? "\(text.head) " : TextLayout.spaces(indent)) + part
      }
    return lines.map { terminal.styled($0, .green) }
  }

  private func sum(_ label: String, _ used: Int, _ budget: Int) -> String {
    terminal.styled(TextLayout.spread(label, "\(used) of \(budget)", over: width), .dim)
  }
}

/// A packet as JSON.
struct PacketReport: Encodable, Equatable {
  let hex: String
  let length: Int
  let structures: [Structure]

  struct Structure: Encodable, Equatable {
    let hex: String
    let length: Int
    let type: String
    let text: String
  }

  init(_ data: AdvertisingData) {
    hex = Hex.string(data.bytes)
    length = data.length
    structures = data.structures.map { structure in
      let text = ADStructureText(structure: structure)
      return Structure(hex: Hex.string(structure.bytes), length: structure.length, type: text.type, text: text.text)
    }
  }
}

/// Formats an AD structure.
struct ADStructureText {
  let structure: ADStructure

  /// The type in JSON, such as `completeServiceUUIDs`.
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

  /// A short description.
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
    case .manufacturerData where overflow != nil: "overflow area"
    case .manufacturerData(OverflowArea.companyIdentifier, let data)
    where data.count >= 2 && data.count >= 2 + Int(data[1]):
      data.first.flatMap { AppleItem.name(ofType: $0) }.map { "Apple's \($0)" } ?? "manufacturer data"
    case .manufacturerData: "manufacturer data"
    case .other: "other data"
    }
  }

  /// The content, item by item.
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

  /// Title and items in one line.
  var text: String { "\(title): \(items.joined(separator: ", "))" }

  /// Length and type, and the header of the payload.
  var head: String {
    let head = Hex.string(structure.bytes.prefix(ADStructure.headerLength), separator: " ")
    guard case .manufacturerData = structure else { return head }
    let company = "\(head) \(Hex.string(structure.payload[..<2]))"
    return overflow == nil ? company : "\(company) \(Hex.string([OverflowArea.itemType]))"
  }

  /// The bytes after `head`.
  var body: String {
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
