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
