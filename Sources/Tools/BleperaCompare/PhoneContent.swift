import BleperaBluetooth

/// What an iPhone's advertisement shows of its state and of the rules.
struct PhoneContent: Hashable, Sendable {
  /// What a set of the phone advertises; each kind has its own interval.
  enum Kind: Hashable, Sendable {
    /// Nearby Info alone.
    case own
    /// With an overflow area too, whose interval is then Handoff's.
    case handoff
    case findMy
    /// Services or a name of an app in the foreground.
    case foreground
    /// An overflow area.
    case background
    case other

    /// The rules' values that are the interval of a kind.
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
  /// With those of the scan response.
  let services: [BluetoothUUID]

  /// - Parameters:
  ///   - bytes: AD structures of the advertisement.
  ///   - scanResponse: what the same address responded last to a scan request.
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
        // Of early versions, whose scan response is still that of the foreground where there is no other.
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

  /// With what a scene says of the app: without scan responses the overflow area is not seen.
  func kind(in app: AppScene?) -> Kind {
    switch (app, kind) {
    case (.front, .background): .foreground
    case (.behind, .own), (.behind, .foreground): .background
    case (_, _): kind
    }
  }

  /// The first octet of Nearby Info.
  var status: UInt8? { items.first { $0.type == AppleItem.nearbyInfo.type }?.value.first }

  /// In dBm, and whether it is behind Apple's items; nil where there is none.
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

  /// Whether only an app in the foreground advertises it.
  private static func isOfForegroundApp(_ structure: ADStructure) -> Bool {
    switch structure {
    case .serviceUUIDs, .completeLocalName, .shortenedLocalName: true
    case .flags, .txPowerLevel, .serviceSolicitation, .serviceData, .appearance, .manufacturerData, .other: false
    }
  }
}
