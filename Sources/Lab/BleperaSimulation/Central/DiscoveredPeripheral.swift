public import BleperaBluetooth
import BleperaRules

/// A phone as a central has discovered it.
public struct DiscoveredPeripheral: Hashable, Sendable {
  /// The phone's address at that moment, `5A:01:02:03:04:05`; its identity address if the central is bonded. The
  /// phone's `irk` resolves a private address.
  public let address: String
  /// The advertised name; nil if none was received.
  public let localName: String?
  /// The advertised service UUIDs, without those of the overflow area.
  public let serviceUUIDs: [BluetoothUUID]
  /// Nil if not advertised, and for an iPhone's app, whose system does not report it.
  public let overflowArea: OverflowArea?
  /// The UUIDs that an iPhone's app scans for and whose bits are set, as
  /// `CBAdvertisementDataOverflowServiceUUIDsKey` lists them.
  public let overflowServiceUUIDs: [BluetoothUUID]
  /// Whether Apple's Nearby Info was received, which a phone advertises with and without an app; false for an iPhone's
  /// app, whose system does not report it.
  public let hasNearbyInfo: Bool

  init(_ address: String, _ structures: [ADStructure]) {
    self.address = address
    let content = AdvertisedContent(structures)
    (localName, serviceUUIDs) = (content.name, content.serviceUUIDs)
    (overflowArea, overflowServiceUUIDs) = (OverflowArea(in: structures), [])
    hasNearbyInfo = AppleItem.nearbyInfoTag(in: AdvertisingData(structures).bytes) != nil
  }

  init(_ address: String, _ discovery: Discovery) {
    self.address = address
    localName = discovery.localName
    serviceUUIDs = discovery.serviceUUIDs
    overflowArea = nil
    hasNearbyInfo = false
    overflowServiceUUIDs = discovery.overflowServiceUUIDs.map(\.uuid)
  }

  /// Whether the phone has sent the advertisement of its own, without an app.
  var isWithoutApp: Bool { hasNearbyInfo && localName == nil && serviceUUIDs.isEmpty && overflowArea == nil }

  /// Whether the UUID's bit is set in the overflow area, as far as the central receives it.
  func hasOverflowBit(of uuid: BluetoothUUID) -> Bool {
    overflowServiceUUIDs.contains(uuid) || overflowArea?.contains(uuid) == true
  }

  func matches(_ target: ScanTarget) -> Bool {
    switch target {
    case .service(let uuid): serviceUUIDs.contains(uuid)
    case .overflow(let uuid): hasOverflowBit(of: uuid)
    case .localName(let name): localName == name
    case .anything: true
    }
  }
}
