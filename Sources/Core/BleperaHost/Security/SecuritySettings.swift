package import BleperaBluetooth

/// The pairing that a device asks for, and the pairings that it accepts.
package struct SecuritySettings: Hashable, Sendable {
  package var capability = PairingCapability.noInputNoOutput
  /// The AuthReq that is sent.
  package var requirements: SecurityRequirements = [.bonding, .secureConnections]
  /// The requirements that a pairing has to meet; any other pairing is refused.
  package var demands: SecurityRequirements = []
  /// The shortest and the longest key in bytes, of 7 to 16.
  package var keySizes = 7...16
  /// The keys that each side distributes; signing keys and keys of BR/EDR are never sent.
  package var initiatorKeys: KeyKinds = [.encryption, .identity]
  package var responderKeys: KeyKinds = [.encryption, .identity]
  /// The identity that is distributed; without it the device is known by the address of the link.
  package var identity: SecurityIdentity?
  /// The passkey that is always shown; nil for a new one in each pairing.
  package var passkey: UInt32?
  /// Whether a Pairing Request is accepted at all.
  package var isPairable = true
  /// Whether the user is asked before a pairing that just works.
  package var authorizes = true
  /// Whether the device has keys for the peer that a debug key must not replace.
  package var hasBond = false
  /// Whether a Pairing Request that promises neither signing nor link key is ignored, as reported of iOS 14 and later.
  package var isStrict = false

  package init() {}

  /// The features for a Pairing Request.
  var request: PairingFeatures {
    let offered: KeyKinds = identity == nil ? [.encryption] : [.encryption, .identity]
    return PairingFeatures(
      capability: capability, requirements: requirements, keySize: min(max(keySizes.upperBound, 7), 16),
      initiatorKeys: requirements.contains(.bonding) ? initiatorKeys.intersection(offered) : [],
      responderKeys: requirements.contains(.bonding) ? responderKeys.subtracting(.link) : [])
  }

  /// The features for the response to a request: at most the keys that it names.
  func response(to request: PairingFeatures) -> PairingFeatures {
    var offered: KeyKinds = identity == nil ? [.encryption] : [.encryption, .identity]
    var accepted = initiatorKeys.subtracting(.link)
    if requirements.intersection(request.requirements).contains(.secureConnections) {
      offered.remove(.encryption)
      accepted.remove(.encryption)
    }
    let isBonding = requirements.intersection(request.requirements).contains(.bonding)
    var response = self.request
    response.initiatorKeys = isBonding ? accepted.intersection(request.initiatorKeys) : []
    response.responderKeys = isBonding ? offered.intersection(responderKeys).intersection(request.responderKeys) : []
    return response
  }
}
