import BleperaBluetooth
import BleperaHost

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

extension AdvertisingPackets {
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
