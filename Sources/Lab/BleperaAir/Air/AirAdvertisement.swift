package import BleperaBluetooth

/// The packets of an advertisement on the air, byte for byte.
package struct AdvertisingPackets: Hashable, Sendable {
  /// The address under which it is sent.
  package enum Address: Hashable, Sendable {
    case ofAdapter
    /// Its own, which changes every 15 minutes, as Find My's.
    case changing
    /// Its own nonresolvable private one, which changes every 15 minutes.
    case nonresolvable
    case fixed(DeviceAddress)
  }

  package let data: [UInt8]
  package var scanResponse: [UInt8]
  package var isConnectable: Bool
  /// Whether the advertisement uses extended PDUs, which legacy scanners do not receive.
  package var isExtended: Bool
  /// The time between two events, without the adapter's `advertisingDelay`.
  package var interval: Duration
  /// Whether a phone sends it of its own, without an app. Its random delays are drawn apart, so that what an app sends
  /// does not depend on it.
  package var isOwn: Bool
  package var address: Address
  /// The place of Nearby Info's tag in the data; nil where there is none.
  private let tag: Range<Int>?

  package init(
    data: [UInt8], scanResponse: [UInt8] = [], isConnectable: Bool = true, isExtended: Bool = false,
    interval: Duration, isOwn: Bool = false, address: Address = .ofAdapter
  ) {
    self.data = data
    self.scanResponse = scanResponse
    self.isConnectable = isConnectable
    self.isExtended = isExtended
    self.interval = interval
    self.isOwn = isOwn
    self.address = address
    tag = AppleItem.nearbyInfoTag(in: data)
  }

  /// Whether the sender answers active scanners. A connectable legacy advertisement always is.
  var isScannable: Bool { isConnectable && !isExtended || !scanResponse.isEmpty }

  /// The packets with the tag of Nearby Info under the sender's present address.
  func sent(by sender: AirAdapter) -> AdvertisingPackets {
    guard let tag, let number = sender.privacy?.tag, number != 0 else { return self }
    var data = data
    AppleItem.change(&data, in: tag, number)
    return AdvertisingPackets(
      data: data, scanResponse: scanResponse, isConnectable: isConnectable, isExtended: isExtended, interval: interval,
      isOwn: isOwn, address: address)
  }

  /// The address under which the sender advertises at that time.
  func address(of sender: AirAdapter, at now: Duration) -> DeviceAddress {
    switch address {
    case .ofAdapter: return sender.address
    case .fixed(let address): return address
    case .changing, .nonresolvable:
      let number = SplitMix64.number(at: UInt64(now / Self.ownAddressTime), seed: ~sender.identity.bits)
      let kind: UInt64 = address == .changing ? 0xC000_0000_0000 : 0
      return DeviceAddress(bits: number & 0x3FFF_FFFF_FFFF | kind, isRandom: true)
    }
  }

  private static let ownAddressTime = Duration.seconds(900)
}

/// An advertisement on the air.
struct AirAdvertisement: Sendable {
  let adapter: AdapterID
  var packets: AdvertisingPackets
  /// How many events there were; nil for an advertisement that does not end by itself.
  var events: Int?
  /// After how many events the advertisement ends; nil for no limit.
  let limit: Int?
  /// Distinguishes the advertising events of one period on the air from those of another.
  var turn: Int
}

/// An advertising event as received by a scanner.
package struct AdvertisementReport: Hashable, Sendable {
  /// The sender's address; its identity address if the scanner is bonded.
  package let address: DeviceAddress
  package let isConnectable: Bool
  package let isExtended: Bool
  /// Whether the sender answers active scanners, with data or without.
  package let isScannable: Bool
  /// In dBm.
  package let rssi: Int
  package let data: [UInt8]
  /// Empty if the scanner is passive or the advertisement has no scan response.
  package let scanResponse: [UInt8]

  /// The AD structures of both packets.
  package var structures: [ADStructure] {
    AdvertisingData(leniently: data).structures + AdvertisingData(leniently: scanResponse).structures
  }
}
