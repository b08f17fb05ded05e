package import BleperaBluetooth

/// An advertisement of a link layer, numbered by the caller.
package struct AdvertisementID: Hashable, Comparable, Sendable {
  package let number: Int

  package init(_ number: Int) { self.number = number }

  package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

/// The packets of an advertisement, byte for byte.
package struct AdvertisingPackets: Hashable, Sendable {
  /// The address under which an advertisement is sent.
  package enum Address: Hashable, Sendable {
    case ofAdapter
    /// An address of this advertisement alone, which changes every 15 minutes, as Find My's.
    case changing
    /// A nonresolvable private address of this advertisement alone, which changes every 15 minutes.
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
  /// Whether a phone sends the packets of its own, without an app. Their random delays are drawn apart, so that the
  /// advertising of apps does not depend on them.
  package var isOwn: Bool
  package var address: Address
  /// The place of Nearby Info's tag in the data; nil where there is none.
  package let tag: Range<Int>?

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

  /// The packets with the tag of Nearby Info under the sender's present address.
  ///
  /// - Parameter privacy: the sender's; nil for a sender without private addresses.
  package func sent(by privacy: AddressPrivacy?) -> AdvertisingPackets {
    guard let tag, let number = privacy?.tag, number != 0 else { return self }
    var data = data
    AppleItem.change(&data, in: tag, number)
    return AdvertisingPackets(
      data: data, scanResponse: scanResponse, isConnectable: isConnectable, isExtended: isExtended, interval: interval,
      isOwn: isOwn, address: address)
  }

  /// Whether the sender answers active scanners. A connectable legacy advertisement always is.
  package var isScannable: Bool { isConnectable && !isExtended || !scanResponse.isEmpty }
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
  /// Empty if the scanner has received no scan response, or one without data.
  package let scanResponse: [UInt8]
  /// Whether the scanner has received a scan response.
  package let hasResponse: Bool

  @inlinable package init(
    address: DeviceAddress, isConnectable: Bool, isExtended: Bool, isScannable: Bool, rssi: Int, data: [UInt8],
    scanResponse: [UInt8], hasResponse: Bool? = nil
  ) {
    self.hasResponse = hasResponse ?? !scanResponse.isEmpty
    (self.address, self.isConnectable, self.isExtended) = (address, isConnectable, isExtended)
    (self.isScannable, self.rssi, self.data, self.scanResponse) = (isScannable, rssi, data, scanResponse)
  }

  /// The AD structures of both packets.
  package var structures: [ADStructure] {
    AdvertisingData(leniently: data).structures + AdvertisingData(leniently: scanResponse).structures
  }
}
