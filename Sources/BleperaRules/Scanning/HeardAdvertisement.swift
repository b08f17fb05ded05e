package import BleperaBluetooth

/// What comes from a peripheral in one advertising event.
package struct HeardAdvertisement: Sendable {
  package var advertisement: AdvertisingData
  /// Only who asks for it hears it; nil where nobody knows the two apart, and all of it is in `advertisement`.
  package var scanResponse: AdvertisingData?
  package var isConnectable: Bool
  /// In dBm.
  package var rssi: Int?

  package init(
    _ advertisement: AdvertisingData, scanResponse: AdvertisingData? = nil, isConnectable: Bool = true, rssi: Int? = nil
  ) {
    self.advertisement = advertisement
    self.scanResponse = scanResponse
    self.isConnectable = isConnectable
    self.rssi = rssi
  }
}
