package import BleperaBluetooth

/// The association model of two devices (Core Specification, Vol 3, Part H, 2.3.5.1).
package enum PairingMethod: Hashable, Sendable {
  case justWorks
  case numericComparison
  /// A passkey typed on one or both sides and shown on the other.
  case passkey(initiatorTypes: Bool, responderTypes: Bool)

  /// Table 2.8, without out-of-band data.
  ///
  /// - Parameter isAuthenticated: whether at least one side requires protection against a man in the middle.
  package init(
    initiator: PairingCapability, responder: PairingCapability, isAuthenticated: Bool, isSecureConnections: Bool
  ) {
    if !isAuthenticated || initiator == .noInputNoOutput || responder == .noInputNoOutput {
      self = .justWorks
    } else if isSecureConnections, initiator.canCompare, responder.canCompare {
      self = .numericComparison
    } else if initiator == .keyboardOnly, responder == .keyboardOnly {
      self = .passkey(initiatorTypes: true, responderTypes: true)
    } else if responder.canType, initiator.canShow {
      self = .passkey(initiatorTypes: false, responderTypes: true)
    } else if initiator.canType, responder.canShow {
      self = .passkey(initiatorTypes: true, responderTypes: false)
    } else {
      self = .justWorks
    }
  }
}
