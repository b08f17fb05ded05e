/// By what centrals know a phone, and what it shares with those that are bonded.
package struct PhoneIdentity: Hashable, Codable, Sendable {
  /// A central with which the phone shares keys.
  package struct Bond: Hashable, Codable, Sendable {
    package var central: CentralID
    package var subscriptions: [Subscription]

    package init(central: CentralID, subscriptions: [Subscription] = []) {
      self.central = central
      self.subscriptions = subscriptions
    }
  }

  package struct Subscription: Hashable, Codable, Sendable {
    /// The handle of the characteristic's value.
    package var characteristic: AttributeHandle
    /// Of the Client Characteristic Configuration: 1 for notifications, 2 for indications.
    package var configuration: UInt16

    package init(characteristic: AttributeHandle, configuration: UInt16) {
      self.characteristic = characteristic
      self.configuration = configuration
    }
  }

  /// The identity address, `00:AA:01:5C:03:91`.
  package var address: String
  package var key: IdentityResolvingKey
  /// In the order of the centrals' addresses.
  package var bonds: [Bond]

  package init(address: String, key: IdentityResolvingKey, bonds: [Bond] = []) {
    self.address = address
    self.key = key
    self.bonds = bonds
  }

  /// A phone's that was never started: an address after those of btvirt's adapters, which are numbered from 0.
  package init(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let address = 0x00AA_0100_0000 + UInt64.random(in: 0x1_0000...0xFF_FFFF, using: &random)
    let bytes = (0..<6).map { UInt8(truncatingIfNeeded: address >> (40 - 8 * $0)) }
    self.init(address: Hex.string(bytes, separator: ":"), key: IdentityResolvingKey(using: &random))
  }

  /// Whether the addresses are addresses.
  package var isValid: Bool {
    ([address] + bonds.map(\.central.rawValue)).allSatisfy { text in
      let parts = text.split(separator: ":", omittingEmptySubsequences: false)
      return parts.count == 6 && parts.allSatisfy { $0.utf8.count == 2 && Hex.bytes(String($0)) != nil }
    }
  }
}
