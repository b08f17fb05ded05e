/// The packets that a radio receives from a peripheral in one advertising event.
package struct ReceivedAdvertisement: Hashable, Sendable {
  package var advertisement: AdvertisingData
  /// Received only in an active scan; nil where the radio cannot separate the packets and `advertisement` holds both.
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

  package var packets: [AdvertisingData] { [advertisement] + [scanResponse].compactMap(\.self) }
}
