/// The input and output capability of a device (Core Specification, Vol 3, Part H, 2.3.2).
package enum PairingCapability: String, CaseIterable, Sendable {
  case displayOnly = "DisplayOnly"
  case displayYesNo = "DisplayYesNo"
  case keyboardOnly = "KeyboardOnly"
  case noInputNoOutput = "NoInputNoOutput"
  case keyboardDisplay = "KeyboardDisplay"

  /// Parses the `capability` of AgentManager1.RegisterAgent; an empty text means KeyboardDisplay.
  package init?(agentCapability text: String) {
    if text.isEmpty {
      self = .keyboardDisplay
    } else {
      self.init(rawValue: text)
    }
  }

  var canType: Bool { self == .keyboardOnly || self == .keyboardDisplay }
  var canShow: Bool { self != .keyboardOnly && self != .noInputNoOutput }
  var canCompare: Bool { self == .displayYesNo || self == .keyboardDisplay }
}

/// The association model of two devices (Core Specification, Vol 3, Part H, table 2.8, LE Secure Connections).
package enum PairingMethod: Hashable, Sendable {
  case justWorks
  case numericComparison
  /// A passkey typed on one or both sides and shown on the other.
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

/// The response of one side's user.
package enum PairingResponse: Hashable, Sendable {
  case yes
  case no
  case passkey(UInt32)
}

/// Why two devices could not pair, with the cases of Device1.Pair.
package enum PairingFailure: Error, Hashable, Sendable {
  case failed, cancelled, rejected, inProgress, alreadyPaired
}

/// A pairing in progress.
struct AirPairing: Hashable, Sendable {
  let initiator: AdapterID
  /// Nil if a read or a write triggered the pairing.
  let operation: OperationID?
  let method: PairingMethod
  let passkey: UInt32
  /// The adapters whose users must respond.
  var asked: Set<AdapterID>
}
