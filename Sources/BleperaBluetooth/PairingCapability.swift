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
