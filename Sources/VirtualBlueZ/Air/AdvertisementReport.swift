/// One advertising event as a scanner has heard it.
package struct AdvertisementReport: Hashable, Sendable {
  package let address: DeviceAddress
  package let isConnectable: Bool
  /// In dBm.
  package let rssi: Int
  package let data: [UInt8]
  /// Empty where the scanner is passive or there is none.
  package let scanResponse: [UInt8]
}
