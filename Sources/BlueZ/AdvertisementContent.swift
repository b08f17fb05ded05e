package import GATT

/// What one LEAdvertisement1 carries.
package struct AdvertisementContent: Hashable, Sendable {
  package var localName: String?
  package var serviceUUIDs: [BluetoothUUID]

  package init(localName: String? = nil, serviceUUIDs: [BluetoothUUID] = []) {
    self.localName = localName
    self.serviceUUIDs = serviceUUIDs
  }
}
