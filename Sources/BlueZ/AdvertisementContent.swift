package import GATT

/// What one LEAdvertisement1 carries.
package struct AdvertisementContent: Hashable, Sendable {
  /// Manufacturer data of one company.
  package struct ManufacturerData: Hashable, Sendable {
    package let companyIdentifier: UInt16
    package let data: [UInt8]

    package init(companyIdentifier: UInt16, data: [UInt8]) {
      self.companyIdentifier = companyIdentifier
      self.data = data
    }
  }

  /// MinInterval and MaxInterval, in milliseconds.
  package struct Interval: Hashable, Sendable {
    package let minimum: UInt32
    package let maximum: UInt32

    package init(minimum: UInt32, maximum: UInt32) {
      self.minimum = minimum
      self.maximum = maximum
    }
  }

  package var localName: String?
  package var serviceUUIDs: [BluetoothUUID]
  package var manufacturerData: ManufacturerData?
  /// Nil leaves it to bluetoothd.
  package var interval: Interval?

  package init(
    localName: String? = nil, serviceUUIDs: [BluetoothUUID] = [], manufacturerData: ManufacturerData? = nil,
    interval: Interval? = nil
  ) {
    self.localName = localName
    self.serviceUUIDs = serviceUUIDs
    self.manufacturerData = manufacturerData
    self.interval = interval
  }
}
