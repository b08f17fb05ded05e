import BleperaBluetooth

/// What apps in the foreground have in the advertisement.
struct FrontPacket: Hashable {
  struct Name: Hashable {
    let app: AppID
    let structure: ADStructure
    let isInScanResponse: Bool

    var text: String {
      switch structure {
      case .completeLocalName(let text), .shortenedLocalName(let text): text
      default: ""
      }
    }
  }

  var listed: [BluetoothUUID] = []
  var overflowing: [OverflowEntry] = []
  /// The same UUID again, of the same app or of another.
  var repeated: [OverflowEntry] = []
  var name: Name?

  /// The lists of an iPhone: one is incomplete where UUIDs of its width overflow.
  var lists: [ADStructure] {
    let incomplete = Set(overflowing.map(\.uuid.width))
    return UUIDList.lists(of: listed).map { .serviceUUIDs($0, complete: !incomplete.contains($0.width)) }
  }

  var nameInAdvertisement: ADStructure? { name.flatMap { $0.isInScanResponse ? nil : $0.structure } }
  var nameInScanResponse: ADStructure? { name.flatMap { $0.isInScanResponse ? $0.structure : nil } }
}
