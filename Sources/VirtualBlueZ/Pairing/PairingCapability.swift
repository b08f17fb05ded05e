/// What a device can show and take from its user (Core Specification, Vol 3, Part H, 2.3.2).
package enum PairingCapability: String, CaseIterable, Sendable {
  case displayOnly = "DisplayOnly"
  case displayYesNo = "DisplayYesNo"
  case keyboardOnly = "KeyboardOnly"
  case noInputNoOutput = "NoInputNoOutput"
  case keyboardDisplay = "KeyboardDisplay"

  /// The `capability` of AgentManager1.RegisterAgent, where nothing is KeyboardDisplay.
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
