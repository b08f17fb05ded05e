/// How two devices make sure of each other (Core Specification, Vol 3, Part H, table 2.8, LE Secure Connections).
package enum PairingMethod: Hashable, Sendable {
  case justWorks
  case numericComparison
  /// Typed at one side or at both, shown at the other.
  case passkey(initiatorTypes: Bool, responderTypes: Bool)

  package init(initiator: PairingCapability, responder: PairingCapability) {
    if initiator == .noInputNoOutput || responder == .noInputNoOutput {
      self = .justWorks
    } else if initiator.canCompare, responder.canCompare {
      self = .numericComparison
    } else if initiator == .keyboardOnly, responder == .keyboardOnly {
      self = .passkey(initiatorTypes: true, responderTypes: true)
    } else if responder.canType, initiator.canShow, !initiator.canType || responder == .keyboardOnly {
      self = .passkey(initiatorTypes: false, responderTypes: true)
    } else if initiator.canType, responder.canShow {
      self = .passkey(initiatorTypes: true, responderTypes: false)
    } else {
      self = .justWorks
    }
  }

  var security: LinkSecurity { self == .justWorks ? .encrypted : .authenticated }
}
