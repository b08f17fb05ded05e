/// The identity by which centrals recognize a phone, and the keys that the phone shares with bonded centrals.
package struct PhoneIdentity: Hashable, Codable, Sendable {
  /// A central with which the phone shares keys.
  package struct Bond: Hashable, Codable, Sendable {
    package var central: CentralID
    package var keys: SecurityBond
    package var subscriptions: [Subscription]

    package init(central: CentralID, keys: SecurityBond, subscriptions: [Subscription] = []) {
      self.central = central
      self.keys = keys
      self.subscriptions = subscriptions
    }
  }

  package struct Subscription: Hashable, Codable, Sendable {
    /// The handle of the characteristic's value.
    package var characteristic: AttributeHandle
    /// The value of the Client Characteristic Configuration: 1 for notifications, 2 for indications.
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

  /// The identity of a phone that was never started; its address is above the addresses of btvirt's adapters.
  package init(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    self.init(using: &random)
  }

  /// The identity of a phone that was never started, as `init(seed:)` makes it.
  package init(using random: inout some RandomNumberGenerator) {
    let address = 0x00AA_0100_0000 + UInt64.random(in: 0x1_0000...0xFF_FFFF, using: &random)
    let bytes = (0..<6).map { UInt8(truncatingIfNeeded: address >> (40 - 8 * $0)) }
    self.init(address: Hex.string(bytes, separator: ":"), key: IdentityResolvingKey(using: &random))
  }

  /// The keys of the bonds, by the addresses by which their devices are known.
  package var keys: [DeviceAddress: SecurityBond] {
    var keys: [DeviceAddress: SecurityBond] = [:]
    for bond in bonds { if let peer = DeviceAddress(bond.central.rawValue) { keys[peer] = bond.keys } }
    return keys
  }

  /// Whether all addresses are well-formed.
  package var isValid: Bool {
    ([address] + bonds.map(\.central.rawValue)).allSatisfy { text in
      let parts = text.split(separator: ":", omittingEmptySubsequences: false)
      return parts.count == 6 && parts.allSatisfy { $0.utf8.count == 2 && Hex.bytes(String($0)) != nil }
    }
  }
}

/// The identity resolving key (IRK) of a device, with which bonded devices recognize its resolvable private addresses
/// (Core Specification, Vol 6, Part B, 1.3.2.2).
public struct IdentityResolvingKey: Hashable, Sendable, CustomStringConvertible {
  /// 16 bytes, the most significant first.
  public let bytes: [UInt8]

  /// - Parameter bytes: 16 bytes, the most significant first; nil is returned for any other number.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  package init(using random: inout some RandomNumberGenerator) {
    bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }
  }

  /// 32 hexadecimal digits, the most significant first.
  public var description: String { Hex.string(bytes) }

  /// 32 hexadecimal digits, the least significant byte first, as some tools take the key.
  public var reversedDescription: String { Hex.string(bytes.reversed()) }

  /// Whether the address is a resolvable private address that was made with this key.
  ///
  /// - Parameter address: `5A:01:02:03:04:05`, in upper or lower case; false for any other form.
  public func resolves(_ address: String) -> Bool {
    let parts = address.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 6, parts.allSatisfy({ $0.utf8.count == 2 }), let bytes = Hex.bytes(parts.joined()) else {
      return false
    }
    return resolves(bytes.reduce(0) { $0 << 8 | UInt64($1) })
  }

  /// - Parameter address: the 48 bits of an address.
  package func resolves(_ address: UInt64) -> Bool {
    Self.isResolvable(address) && hash(of: UInt32(address >> 24)) == UInt32(address & 0xFF_FFFF)
  }

  /// Whether the two most significant bits of the 48 mark a resolvable private address.
  package static func isResolvable(_ address: UInt64) -> Bool { address >> 46 == 0b01 }

  /// Makes a resolvable private address of 48 bits, with a random part of 22 bits.
  package func makeAddress(using random: inout some RandomNumberGenerator) -> UInt64 {
    // At least one bit of the random part is 0 and at least one is 1.
    address(prand: UInt32.random(in: 1..<0x3F_FFFF, using: &random) | 0x40_0000)
  }

  /// - Parameter prand: 24 bits, the two most significant of which are 01.
  package func address(prand: UInt32) -> UInt64 { UInt64(prand) << 24 | UInt64(hash(of: prand)) }

  /// The function `ah` (Core Specification, Vol 3, Part H, 2.2.2); prand and the result have 24 bits.
  package func hash(of prand: UInt32) -> UInt32 {
    let padding = [UInt8](repeating: 0, count: 13)
    let block = padding + [UInt8(prand >> 16 & 0xFF), UInt8(prand >> 8 & 0xFF), UInt8(prand & 0xFF)]
    return AES128(key: bytes).encrypt(block).suffix(3).reduce(0) { $0 << 8 | UInt32($1) }
  }
}

/// A string of 32 hexadecimal digits.
extension IdentityResolvingKey: Codable {
  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let bytes = Hex.bytes(text), let key = Self(bytes) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "'\(text)' is not a key of 16 bytes"))
    }
    self = key
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
