/// The kind of the address under which an accessory advertises.
public enum AccessoryAddressKind: String, Hashable, CaseIterable, Sendable {
  /// A public address, which never changes.
  case `public`
  /// A random address, which never changes.
  case `static`
  /// A private address, changed every 15 minutes, which bonded devices resolve.
  case resolvable
  /// A private address, changed every 15 minutes, which nobody resolves: nobody can connect.
  case nonresolvable
}

/// How an accessory responds to a pairing request.
public enum AccessoryPairing: Hashable, Sendable {
  /// The accessory does not pair.
  case refuse
  /// The accessory pairs without a passkey or a number.
  case justWorks
  /// The accessory shows this passkey; nil for another passkey in each pairing.
  case passkey(UInt32? = nil)
  /// The user of the accessory accepts the number.
  case numericComparison
}

/// The bonds of an accessory: how it makes and keeps them.
public struct AccessoryBonding: Hashable, Sendable {
  /// The number of devices whose keys the accessory keeps: a further pairing deletes the keys of the least recent one.
  /// With 0 the accessory keeps none, although it pairs as if it did; nil keeps all.
  public var limit: Int?
  /// Whether the accessory distributes its identity.
  public var givesIdentity = true
  /// The identity resolving key, which several accessories may share; nil for a key of its own.
  public var identityKey: IdentityResolvingKey?
  /// Whether the accessory sends a Security Request as soon as a central has connected.
  public var requestsSecurity = false
  /// Whether the accessory pairs with LE Secure Connections, where the central does.
  public var usesSecureConnections = true

  /// Keeps all keys, and gives an identity key of its own.
  public init() {}
}
