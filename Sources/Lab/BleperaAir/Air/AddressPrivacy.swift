package import BleperaBluetooth

/// The resolvable private addresses of an adapter, one after another (Core Specification, Vol 3, Part C, 10.7).
package struct AddressPrivacy: Sendable {
  package let key: IdentityResolvingKey
  package private(set) var address: DeviceAddress
  /// How long an address is used.
  private let rotation: Duration
  private var random: SplitMix64
  /// How often the address has changed.
  private var changes: UInt64 = 0
  /// When the address is due to change.
  private var end: Duration

  /// Addresses, and a key that is not given, depend on the identity address and the seed.
  init(of identity: DeviceAddress, key: IdentityResolvingKey?, rotation: Duration, seed: UInt64, at now: Duration) {
    random = SplitMix64(seed: seed ^ SplitMix64.number(at: 0, seed: identity.bits))
    self.key = key ?? IdentityResolvingKey(using: &random)
    address = DeviceAddress(bits: self.key.makeAddress(using: &random))
    self.rotation = rotation
    end = now + rotation
  }

  /// The number that the present address mixes into the tag of Nearby Info; 0 under the first address.
  var tag: UInt64 { changes == 0 ? 0 : SplitMix64.number(at: changes, seed: address.bits) }

  func isDue(at now: Duration) -> Bool { now >= end }

  /// Changes the address and begins its time.
  mutating func restart(at now: Duration) {
    next()
    end = now + rotation
  }

  private mutating func next() {
    address = DeviceAddress(bits: key.makeAddress(using: &random))
    changes += 1
  }

  mutating func change(at now: Duration) {
    next()
    end += rotation * (Int((now - end) / rotation) + 1)
  }
}
