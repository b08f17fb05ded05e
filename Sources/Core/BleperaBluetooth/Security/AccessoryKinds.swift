/// The kind of the address under which an accessory advertises.
public enum AccessoryAddressKind: String, Hashable, CaseIterable, Sendable {
  /// The same always.
  case `public`
  /// A random one, the same always.
  case `static`
  /// Private, another one every 15 minutes, which bonded devices resolve.
  case resolvable
  /// Private, another one every 15 minutes, which nobody resolves: nobody can connect.
  case nonresolvable
}

/// How an accessory responds to a pairing request.
public enum AccessoryPairing: Hashable, Sendable {
  /// It does not pair.
  case refuse
  /// Without a passkey or a number.
  case justWorks
  /// It shows this passkey; nil for another one in each pairing.
  case passkey(UInt32? = nil)
  /// Its user accepts the number.
  case numericComparison
}
