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
public enum PairingResponse: Hashable, Sendable {
  case yes
  case no
  /// The passkey that the other side shows, 0 to 999999.
  case passkey(UInt32)
}

/// `yes`, `no`, or the six digits of a passkey.
extension PairingResponse: RawRepresentable {
  public init?(rawValue: String) {
    switch rawValue {
    case "yes": self = .yes
    case "no": self = .no
    default:
      let isPasskey = rawValue.utf8.count == 6 && rawValue.utf8.allSatisfy { (0x30...0x39).contains($0) }
      guard isPasskey, let passkey = UInt32(rawValue) else { return nil }
      self = .passkey(passkey)
    }
  }

  public var rawValue: String {
    switch self {
    case .yes: "yes"
    case .no: "no"
    case .passkey(let passkey): String(repeating: "0", count: max(0, 6 - "\(passkey)".utf8.count)) + "\(passkey)"
    }
  }
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
