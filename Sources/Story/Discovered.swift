public import GATT
import Policy

/// What a central has heard of a phone.
public struct Discovered: Hashable, Sendable {
  /// Of the phone, as this central knows it.
  public let address: String
  public let localName: String?
  public let serviceUUIDs: [BluetoothUUID]
  /// Nil where there is none, or the central is an iPhone's app, whose system keeps it to itself.
  public let overflowArea: OverflowArea?
  /// The UUIDs that an iPhone's app asked for and whose bits are set: an element of
  /// `CBAdvertisementDataOverflowServiceUUIDsKey` each.
  public let overflowServiceUUIDs: [BluetoothUUID]

  init(_ address: String, _ structures: [ADStructure]) {
    self.address = address
    var name: String?
    var uuids: [BluetoothUUID] = []
    var area: OverflowArea?
    for structure in structures {
      switch structure {
      case .completeLocalName(let text), .shortenedLocalName(let text): name = text
      case .serviceUUIDs(let list, _): uuids += list.uuids
      default: if let found = OverflowArea(structure) { area = area?.union(found) ?? found }
      }
    }
    (localName, serviceUUIDs, overflowArea, overflowServiceUUIDs) = (name, uuids, area, [])
  }

  init(_ address: String, _ discovery: Discovery) {
    self.address = address
    localName = discovery.localName
    serviceUUIDs = discovery.serviceUUIDs
    overflowArea = nil
    overflowServiceUUIDs = discovery.overflowServiceUUIDs.map(\.uuid)
  }

  func has(_ sighting: Sighting) -> Bool {
    switch sighting {
    case .service(let uuid): serviceUUIDs.contains(uuid)
    case .overflow(let uuid): overflowServiceUUIDs.contains(uuid) || overflowArea?.contains(uuid) == true
    case .localName(let name): localName == name
    case .anything: true
    }
  }
}
