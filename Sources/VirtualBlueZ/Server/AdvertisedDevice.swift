import GATT

/// What a device has said of itself in advertisements.
struct AdvertisedDevice: Hashable, Sendable {
  var name: String?
  var serviceUUIDs: [BluetoothUUID] = []
  var manufacturerData: [UInt16: [UInt8]] = [:]
  var serviceData: [BluetoothUUID: [UInt8]] = [:]
  var txPower: Int8?
  var appearance: UInt16?

  /// What one advertising event said.
  init(_ report: AdvertisementReport) {
    let structures =
      AdvertisingData(leniently: report.data).structures + AdvertisingData(leniently: report.scanResponse).structures
    for structure in structures {
      switch structure {
      case .serviceUUIDs(let list, _): serviceUUIDs += list.uuids
      case .shortenedLocalName(let text), .completeLocalName(let text): name = text
      case .manufacturerData(let company, let data): manufacturerData[company] = data
      case .serviceData(let uuid, let data): serviceData[uuid] = data
      case .txPowerLevel(let level): txPower = level
      case .appearance(let value): appearance = value
      case .flags, .serviceSolicitation, .other: break
      }
    }
  }
}
