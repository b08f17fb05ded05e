import BleperaBluetooth

/// The exchange of keys over the encrypted link (Core Specification, Vol 3, Part H, 2.4.3): the responder's, then the
/// initiator's.
struct KeyDistribution: Hashable, Sendable {
  /// The PDUs of a side in their order.
  private enum Part: Hashable { case encryption, identification, identity, address, signature }

  let terms: PairingTerms
  private(set) var bond: SecurityBond
  private let identity: SecurityIdentity?
  private var expected: [Part]
  private var hasDistributed = false
  private var peerKey: IdentityResolvingKey?

  init(_ terms: PairingTerms, key: UInt128, isDebugged: Bool, identity: SecurityIdentity?) {
    (self.terms, self.identity) = (terms, identity)
    let shared = terms.isSecureConnections ? SecurityBond.Key(value: key) : nil
    bond = SecurityBond(
      asCentral: shared, asPeripheral: shared, keySize: terms.keySize, isAuthenticated: terms.method != .justWorks,
      isSecureConnections: terms.isSecureConnections, isBonded: terms.isBonding && !isDebugged)
    expected = [
      (KeyKinds.encryption, [Part.encryption, .identification]), (.identity, [.identity, .address]),
      (.signing, [.signature]),
    ].flatMap { terms.peerKeys.contains($0) ? $1 : [] }
  }

  var isComplete: Bool { expected.isEmpty && hasDistributed }

  /// Sends what is due: an initiator's keys only after the responder's.
  mutating func distribute(using random: inout RandomSource, _ actions: inout [SecurityAction]) {
    guard !hasDistributed, terms.role == .responder || expected.isEmpty else { return }
    hasDistributed = true
    if terms.ownKeys.contains(.encryption) {
      let key = SecurityBond.Key(
        value: terms.shortened(.random(in: .min ... .max, using: &random)),
        random: .random(in: 1 ... .max, using: &random),
        diversifier: .random(in: 1 ... .max, using: &random))
      bond.asPeripheral = key
      actions.send(.encryptionInformation(key.value))
      actions.send(.centralIdentification(diversifier: key.diversifier, random: key.random))
    }
    if terms.ownKeys.contains(.identity), let identity {
      actions.send(.identityInformation(identity.key ?? Self.noKey))
      actions.send(.identityAddress(identity.address))
    }
  }

  mutating func receive(_ pdu: SecurityPDU) throws(SecurityFailure) {
    switch (expected.first, pdu) {
    case (.encryption, .encryptionInformation(let key)): bond.asCentral = SecurityBond.Key(value: key)
    case (.identification, .centralIdentification(let diversifier, let random)):
      bond.asCentral?.random = random
      bond.asCentral?.diversifier = diversifier
    case (.identity, .identityInformation(let key)): peerKey = key == Self.noKey ? nil : key
    case (.address, .identityAddress(let address)):
      // A private address identifies nobody.
      if !address.isRandom || address.bits >> 46 == 0b11 {
        bond.identity = SecurityIdentity(address: address, key: peerKey)
      }
    case (.signature, .signingInformation): break
    default: throw .unspecifiedReason
    }
    expected.removeFirst()
  }

  private static let noKey = IdentityResolvingKey(Array(repeating: 0, count: 16))!
}
