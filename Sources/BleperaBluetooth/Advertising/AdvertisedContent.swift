/// What a central takes from the packets of a device.
package struct AdvertisedContent: Hashable, Sendable {
  /// Whole or shortened; never the alias that bluetoothd derives from the address.
  package var name: String?
  package var serviceUUIDs: [BluetoothUUID] = []
  /// The last data of each company, by company identifier.
  package var manufacturerData: [UInt16: [UInt8]] = [:]
  package var serviceData: [BluetoothUUID: [UInt8]] = [:]
  package var appearance: UInt16?
  /// In dBm.
  package var txPower: Int?
  package var flags: ADFlags?

  package init(_ structures: [ADStructure] = []) {
    for structure in structures {
      switch structure {
      case .serviceUUIDs(let list, _): serviceUUIDs += list.uuids
      case .completeLocalName(let text), .shortenedLocalName(let text): name = text
      case .manufacturerData(let company, let data): manufacturerData[company] = data
      case .serviceData(let uuid, let data): serviceData[uuid] = data
      case .txPowerLevel(let level): txPower = Int(level)
      case .appearance(let value): appearance = value
      case .flags(let value): flags = value
      case .serviceSolicitation, .other: break
      }
    }
  }

  /// Whether only items of Apple's were received that a phone sends without an app, such as Nearby Info.
  package var isPhoneWithoutApp: Bool {
    guard name == nil, serviceUUIDs.isEmpty, let data = manufacturerData[OverflowArea.companyIdentifier] else {
      return false
    }
    return data.first != OverflowArea.itemType
  }
}
