package import BleperaBluetooth

/// The resolvable private addresses of an adapter, one after another (Core Specification, Vol 3, Part C, 10.7).
package struct AddressPrivacy: Sendable {
  package let key: IdentityResolvingKey
  package private(set) var address: DeviceAddress
  /// How long an address is used.
  private let rotation: Duration
  private var random: RandomSource
  /// How often the address has changed.
  private var changes: UInt64 = 0
  /// When the address is due to change.
  package private(set) var end: Duration

  /// - Parameters:
  ///   - key: nil for a key that is drawn.
  ///   - rotation: how long an address is used.
  package init(key: IdentityResolvingKey?, rotation: Duration, random: RandomSource, at now: Duration) {
    self.random = random
    self.key = key ?? IdentityResolvingKey(using: &self.random)
    address = DeviceAddress(bits: self.key.makeAddress(using: &self.random))
    self.rotation = rotation
    end = now + rotation
  }

  /// The number that the present address mixes into the tag of Nearby Info; 0 under the first address.
  package var tag: UInt64 { changes == 0 ? 0 : SplitMix64.number(at: changes, seed: address.bits) }

  package func isDue(at now: Duration) -> Bool { now >= end }

  /// Changes the address and begins its time.
  package mutating func restart(at now: Duration) {
    next()
    end = now + rotation
  }

  private mutating func next() {
    address = DeviceAddress(bits: key.makeAddress(using: &random))
    changes += 1
  }

  package mutating func change(at now: Duration) {
    next()
    end += rotation * (Int((now - end) / rotation) + 1)
  }
}
