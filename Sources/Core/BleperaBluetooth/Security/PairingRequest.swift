/// A pairing request to the user of one side; passkeys have six digits.
package enum PairingRequest: Hashable, Sendable {
  /// Just Works, requested by the other side.
  case authorize
  /// Needs no response.
  case show(UInt32)
  case type
  case compare(UInt32)
}

/// The response of one side's user.
package enum PairingResponse: Hashable, Sendable {
  case yes
  case no
  case passkey(UInt32)
}

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

  package var canType: Bool { self == .keyboardOnly || self == .keyboardDisplay }
  package var canShow: Bool { self != .keyboardOnly && self != .noInputNoOutput }
  package var canCompare: Bool { self == .displayYesNo || self == .keyboardDisplay }
}
