package import BleperaBluetooth

/// The resolvable private addresses of an adapter, one after another (Core Specification, Vol 3, Part C, 10.7).
package struct AddressPrivacy: Sendable {
  package let key: IdentityResolvingKey
  package private(set) var address: DeviceAddress
  /// How long an address is used.
  private let rotation: Duration
  private var random: SplitMix64
  /// When the address is due to change.
  private var end: Duration

  /// Key and addresses depend on the identity address and the seed.
  init(of identity: DeviceAddress, rotation: Duration, seed: UInt64, at now: Duration) {
    random = SplitMix64(seed: seed ^ SplitMix64.number(at: 0, seed: identity.bits))
    key = IdentityResolvingKey(using: &random)
    address = DeviceAddress(bits: key.makeAddress(using: &random))
    self.rotation = rotation
    end = now + rotation
  }

  func isDue(at now: Duration) -> Bool { now >= end }

  /// Changes the address and begins its time.
  mutating func restart(at now: Duration) {
    address = DeviceAddress(bits: key.makeAddress(using: &random))
    end = now + rotation
  }

  mutating func change(at now: Duration) {
    address = DeviceAddress(bits: key.makeAddress(using: &random))
    end += rotation * (Int((now - end) / rotation) + 1)
  }
}
