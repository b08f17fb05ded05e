/// The keys of two devices and their properties: the result of a pairing (Core Specification, Vol 3, Part H, 2.4).
package struct SecurityBond: Hashable, Codable, Sendable {
  package struct Key: Hashable, Sendable {
    package var value: UInt128
    /// 0 in Secure Connections, as is the diversifier.
    package var random: UInt64 = 0
    package var diversifier: UInt16 = 0

    package init(value: UInt128, random: UInt64 = 0, diversifier: UInt16 = 0) {
      (self.value, self.random, self.diversifier) = (value, random, diversifier)
    }
  }

  /// The key with which this device encrypts a link as central; nil if the peer distributed none.
  package var asCentral: Key?
  /// The key with which this device encrypts a link as peripheral.
  package var asPeripheral: Key?
  /// The length of the keys in bytes.
  package var keySize: Int
  package var isAuthenticated: Bool
  package var isSecureConnections: Bool
  /// Whether the keys are kept: both devices request that, and neither used the debug key.
  package var isBonded: Bool
  /// The identity of the peer, if the peer distributed it.
  package var identity: SecurityIdentity?

  package init(
    asCentral: Key?, asPeripheral: Key?, keySize: Int, isAuthenticated: Bool, isSecureConnections: Bool,
    isBonded: Bool = true, identity: SecurityIdentity? = nil
  ) {
    (self.asCentral, self.asPeripheral, self.keySize) = (asCentral, asPeripheral, keySize)
    (self.isAuthenticated, self.isSecureConnections) = (isAuthenticated, isSecureConnections)
    (self.isBonded, self.identity) = (isBonded, identity)
  }
}

/// The value as 32 hexadecimal digits, the most significant first.
extension SecurityBond.Key: Codable {
  private enum CodingKeys: String, CodingKey { case value, random, diversifier }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let text = try container.decode(String.self, forKey: .value)
    guard text.utf8.count == 32, let value = UInt128(text, radix: 16) else {
      throw DecodingError.dataCorruptedError(
        forKey: .value, in: container, debugDescription: "'\(text)' is not a key of 16 bytes")
    }
    self.init(
      value: value, random: try container.decode(UInt64.self, forKey: .random),
      diversifier: try container.decode(UInt16.self, forKey: .diversifier))
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(Hex.string(LittleEndian.bytes(value).reversed(), uppercase: false), forKey: .value)
    try container.encode(random, forKey: .random)
    try container.encode(diversifier, forKey: .diversifier)
  }
}

/// An address of the air, or the identity address of a device.
package struct SecurityAddress: Hashable, Codable, Sendable {
  package let bits: UInt64
  package let isRandom: Bool

  package init(bits: UInt64, isRandom: Bool) { (self.bits, self.isRandom) = (bits & 0xFFFF_FFFF_FFFF, isRandom) }

  /// The type and the address, the most significant first.
  package var octets: [UInt8] { [isRandom ? 1 : 0] + LittleEndian.bytes(bits).prefix(6).reversed() }
}

/// The identity by which bonded devices recognize a device.
package struct SecurityIdentity: Hashable, Codable, Sendable {
  /// Public, or random and static.
  package let address: SecurityAddress
  /// Nil for a device whose address is never private.
  package let key: IdentityResolvingKey?

  package init(address: SecurityAddress, key: IdentityResolvingKey?) { (self.address, self.key) = (address, key) }
}
