package import BleperaBluetooth

/// The advertisement of a phone: the payloads of ADV_IND and SCAN_RSP, and the interval.
package struct RadioAdvertisement: Hashable, Sendable {
  /// At most 31 bytes.
  package let advertisingData: AdvertisingData
  /// At most 31 bytes.
  package let scanResponse: AdvertisingData
  package let interval: AdvertisingInterval
  /// Whether the phone sends the advertisement of its own, without an app.
  package let isOwn: Bool

  package init(
    advertisingData: AdvertisingData, scanResponse: AdvertisingData, interval: AdvertisingInterval, isOwn: Bool = false
  ) {
    self.advertisingData = advertisingData
    self.scanResponse = scanResponse
    self.interval = interval
    self.isOwn = isOwn
  }
}

/// A packet that a radio actually sends for an advertisement.
package struct RadioPacket: Hashable, Sendable {
  package let advertisingData: AdvertisingData
  package let scanResponse: AdvertisingData
  /// Nil where the radio chooses the interval.
  package let interval: AdvertisingInterval?
  package let isOnAir: Bool
  /// Whether the phone sends the packet of its own, without an app.
  package let isOwn: Bool

  package init(
    advertisingData: AdvertisingData, scanResponse: AdvertisingData, interval: AdvertisingInterval?, isOnAir: Bool,
    isOwn: Bool = false
  ) {
    self.isOwn = isOwn
    self.advertisingData = advertisingData
    self.scanResponse = scanResponse
    self.interval = interval
    self.isOnAir = isOnAir
  }
}
