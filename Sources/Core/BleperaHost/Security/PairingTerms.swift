import BleperaBluetooth

/// The features that two devices exchange before they agree on a key (Core Specification, Vol 3, Part H, 2.3).
struct PairingTerms: Hashable, Sendable {
  let role: SecurityManager.Role
  let request: PairingFeatures
  let response: PairingFeatures
  /// The addresses of the link.
  let initiator: SecurityAddress
  let responder: SecurityAddress
  /// The passkey that this side always shows; nil for a new one.
  var passkey: UInt32?

  /// The requirements that both sides set.
  private var agreed: SecurityRequirements { request.requirements.intersection(response.requirements) }

  var isSecureConnections: Bool { agreed.contains(.secureConnections) }
  var isBonding: Bool { agreed.contains(.bonding) }

  var method: PairingMethod {
    PairingMethod(
      initiator: request.capability, responder: response.capability,
      isAuthenticated: request.requirements.union(response.requirements).contains(.authentication),
      isSecureConnections: isSecureConnections)
  }

  /// Whether the user of this side types a passkey.
  var isTyped: Bool {
    guard case .passkey(let initiatorTypes, let responderTypes) = method else { return false }
    return role == .initiator ? initiatorTypes : responderTypes
  }

  var keySize: Int { min(request.keySize, response.keySize) }

  /// The key of the agreed length, with zeros in its most significant bytes.
  func shortened(_ key: UInt128) -> UInt128 { key & UInt128.max >> UInt128(128 - 8 * keySize) }

  /// The keys that this side distributes.
  var ownKeys: KeyKinds { distributed(role == .initiator ? response.initiatorKeys : response.responderKeys) }
  var peerKeys: KeyKinds { distributed(role == .initiator ? response.responderKeys : response.initiatorKeys) }

  /// Secure Connections have made the key to encrypt with.
  private func distributed(_ keys: KeyKinds) -> KeyKinds {
    keys.subtracting(isSecureConnections ? [.encryption, .link] : .link)
  }

  /// Why this side does not pair on these terms.
  func refusal(_ settings: SecuritySettings) -> SecurityFailure? {
    if role == .responder {
      let isUnwanted = request.requirements.subtracting(settings.requirements).contains(.bonding)
      if !settings.isPairable || isUnwanted { return .pairingNotSupported }
    } else if !response.initiatorKeys.isSubset(of: request.initiatorKeys)
      || !response.responderKeys.isSubset(of: request.responderKeys)
    {
      return .invalidParameters
    }
    var reached = agreed.intersection([.bonding, .secureConnections])
    if method != .justWorks { reached.insert(.authentication) }
    if !settings.demands.isSubset(of: reached) { return .authenticationRequirements }
    if keySize < settings.keySizes.lowerBound { return .encryptionKeySize }
    // In legacy pairing both sides need to have the data.
    return isSecureConnections && (request.hasOutOfBandData || response.hasOutOfBandData) ? .outOfBandNotAvailable : nil
  }
}
