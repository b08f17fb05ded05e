import BleperaBluetooth

/// An advertisement and a scan response of an iPhone, parsed for the state and the rules that they show.
struct PhoneContent: Hashable, Sendable {
  /// The kind of content in an advertising set of the phone. Each kind has its own interval.
  enum Kind: Hashable, Sendable {
    /// Nearby Info alone.
    case own
    /// Handoff's item, alone or with an overflow area; both are sent at Handoff's interval.
    case handoff
    case findMy
    /// Services or a name of an app in the foreground.
    case foreground
    /// An overflow area.
    case background
    case other

    /// The rules' values that give the interval of a kind.
    static let intervals: [(name: String, kind: Kind)] = [
      ("foregroundInterval", .foreground), ("backgroundInterval", .background), ("ownInterval", .own),
      ("findMyInterval", .findMy),
    ]
  }

  let kind: Kind
  let structures: [ADStructure]
  let response: [ADStructure]
  let items: [AppleItem]
  let overflow: OverflowArea?
  /// Service UUIDs of the advertisement and the scan response.
  let services: [BluetoothUUID]

  /// - Parameters:
  ///   - bytes: AD structures of the advertisement.
  ///   - scanResponse: AD structures of the last scan response from the same address.
  init(_ bytes: some Sequence<UInt8>, scanResponse: [UInt8] = []) {
    structures = AdvertisingData(leniently: Array(bytes)).structures
    response = AdvertisingData(leniently: scanResponse).structures
    items = structures.flatMap(Self.items)
    overflow = OverflowArea(in: structures + response)
    services = AdvertisedContent(structures + response).serviceUUIDs
    let types = Set(items.map(\.type))
    let ofApp = (structures + response).contains(where: Self.isOfForegroundApp)
    kind =
      if OverflowArea(in: structures)?.isEmpty == false {
        // Early versions have the area here, and keep the scan response of the foreground if no other replaces it.
        .background
      } else if ofApp {
        .foreground
      } else if types.contains(AppleItem.handoff.type) {
        .handoff
      } else if overflow?.isEmpty == false {
        .background
      } else if types.contains(AppleItem.nearbyInfo.type) {
        .own
      } else if types.contains(AppleItem.findMy.type) {
        .findMy
      } else {
        .other
      }
  }

  /// The kind, corrected by the app's state in a scene, since not every capture shows the overflow area.
  func kind(in app: AppScene?) -> Kind {
    switch (app, kind) {
    case (.front, .background): .foreground
    case (.behind, .own), (.behind, .foreground): .background
    case (_, _): kind
    }
  }

  /// The first octet of Nearby Info.
  var status: UInt8? { items.first { $0.type == AppleItem.nearbyInfo.type }?.value.first }

  /// The TX power in dBm, and whether it follows Apple's items; nil if the advertisement has no TX power.
  var transmitPower: (level: Int, isLast: Bool)? {
    for (index, structure) in structures.enumerated() {
      if case .txPowerLevel(let level) = structure { return (Int(level), index > 1 && index == structures.count - 1) }
    }
    return nil
  }

  private static func items(_ structure: ADStructure) -> [AppleItem] {
    guard case .manufacturerData(OverflowArea.companyIdentifier, let data) = structure else { return [] }
    return AppleItem.items(in: data[...]).map { AppleItem(type: $0.type, value: Array(data[$0.value])) }
  }

  /// Whether only an app in the foreground advertises such a structure.
  private static func isOfForegroundApp(_ structure: ADStructure) -> Bool {
    switch structure {
    case .serviceUUIDs, .completeLocalName, .shortenedLocalName: true
    case .flags, .txPowerLevel, .serviceSolicitation, .serviceData, .appearance, .manufacturerData, .other: false
    }
  }
}
