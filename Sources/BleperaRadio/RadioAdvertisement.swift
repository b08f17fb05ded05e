package import BleperaBluetooth

/// What a phone sends: the bytes of ADV_IND and SCAN_RSP, and how often.
package struct RadioAdvertisement: Hashable, Sendable {
  /// At most 31 bytes.
  package let advertisingData: AdvertisingData
  /// At most 31 bytes.
  package let scanResponse: AdvertisingData
  package let interval: AdvertisingInterval

  package init(advertisingData: AdvertisingData, scanResponse: AdvertisingData, interval: AdvertisingInterval) {
    self.advertisingData = advertisingData
    self.scanResponse = scanResponse
    self.interval = interval
  }
}

/// A packet that a radio really sends for an advertisement.
package struct RadioPacket: Hashable, Sendable {
  package let advertisingData: AdvertisingData
  package let scanResponse: AdvertisingData
  /// Nil where the radio chooses its own.
  package let interval: AdvertisingInterval?
  package let isOnAir: Bool

  package init(
    advertisingData: AdvertisingData, scanResponse: AdvertisingData, interval: AdvertisingInterval?, isOnAir: Bool
  ) {
    self.advertisingData = advertisingData
    self.scanResponse = scanResponse
    self.interval = interval
    self.isOnAir = isOnAir
  }
}

/// Something that an iPhone does and a radio cannot.
package struct RadioLimitation: Hashable, Codable, Sendable {
  /// The `id` of the limitation of a radio that chooses its own advertising interval.
  package static let intervals = "intervals"

  /// A word such as `flags`, the same in every release.
  package let id: String
  /// One sentence.
  package let iPhone: String
  /// What happens instead; one sentence.
  package let instead: String
  /// The release that can do it, such as `5.77`; nil where none can.
  package let fixedIn: String?
  /// The number of the rule that is affected, such as `R1`; nil where none is.
  package let rule: String?
  /// What a user can do about it; nil where there is nothing.
  package let advice: String?

  package init(
    id: String, iPhone: String, instead: String, fixedIn: String? = nil, rule: String? = nil, advice: String? = nil
  ) {
    self.id = id
    self.iPhone = iPhone
    self.instead = instead
    self.fixedIn = fixedIn
    self.rule = rule
    self.advice = advice
  }
}
