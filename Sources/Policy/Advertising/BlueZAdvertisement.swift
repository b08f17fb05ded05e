package import GATT

/// What BlueZ is asked to put on the air, and what then is.
package struct BlueZAdvertisement: Hashable, Sendable {
  package let localName: String?
  package let serviceUUIDs: [BluetoothUUID]
  package let overflowArea: OverflowArea?
  package let interval: AdvertisingInterval

  /// ManufacturerData: the company and what follows it.
  package var manufacturerData: (companyIdentifier: UInt16, data: [UInt8])? {
    guard case .manufacturerData(let company, let data) = overflowArea?.structure else { return nil }
    return (company, data)
  }

  /// In the order of `bt_ad_generate`: UUID lists, manufacturer data, then Flags, which BlueZ adds as `Data`.
  package var advertisingData: AdvertisingData {
    let lists = UUIDList.lists(of: serviceUUIDs.map(Self.onAir)).map { ADStructure.serviceUUIDs($0, complete: true) }
    return AdvertisingData(lists + (overflowArea.map { [$0.structure] } ?? []) + [.flags(Self.flags)])
  }

  /// The name alone.
  package var scanResponse: AdvertisingData {
    let name = localName.flatMap {
      AdvertisingBudget.fit(localName: $0, into: AdvertisingBudget.legacyMaximum)
    }
    return AdvertisingData(name.map { [$0] } ?? [])
  }

  /// 0x06: what `Discoverable` gives while the adapter itself is not discoverable.
  static let flags: ADFlags = [.generalDiscoverable, .brEdrNotSupported]

  /// BlueZ reads the long form of a 16-bit UUID as the short one (`bt_string_to_uuid`).
  static func onAir(_ uuid: BluetoothUUID) -> BluetoothUUID {
    uuid.width == .bits128 ? uuid.written(at: .bits16) ?? uuid : uuid
  }
}
