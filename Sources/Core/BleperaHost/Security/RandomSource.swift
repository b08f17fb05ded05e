package import BleperaBluetooth

/// The source of keys, nonces, passkeys and private addresses.
package enum RandomSource: RandomNumberGenerator, Sendable {
  /// For a virtual air, whose runs repeat.
  case seeded(SplitMix64)
  /// The system's generator, for whatever leaves the process by a controller.
  case system

  package mutating func next() -> UInt64 {
    switch self {
    case .seeded(var generator):
      defer { self = .seeded(generator) }
      return generator.next()
    case .system:
      var generator = SystemRandomNumberGenerator()
      return generator.next()
    }
  }
}
