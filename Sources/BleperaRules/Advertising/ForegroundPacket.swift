import BleperaBluetooth

/// The advertised fields of foreground apps.
struct ForegroundPacket: Hashable {
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
  /// Repeated UUIDs, of the same app or of another app.
  var repeated: [OverflowEntry] = []
  var name: Name?
  /// Bytes of the scan response that the name may take, including the AD header.
  var nameBudget = 0

  /// The service UUID lists that an iPhone sends; a list is incomplete where UUIDs of its width overflow.
  var lists: [ADStructure] {
    let incomplete = Set(overflowing.map(\.uuid.width))
    return UUIDList.lists(of: listed).map { .serviceUUIDs($0, complete: !incomplete.contains($0.width)) }
  }

  var nameInAdvertisement: ADStructure? { name.flatMap { $0.isInScanResponse ? nil : $0.structure } }
  var nameInScanResponse: ADStructure? { name.flatMap { $0.isInScanResponse ? $0.structure : nil } }
}
