import BleperaBluetooth
import BleperaHost
import Testing

@Suite("How devices pair, of Vol 3, Part H, table 2.8")
struct PairingMethodTests {
  private static let capabilities: [PairingCapability] = [
    .displayOnly, .displayYesNo, .keyboardOnly, .noInputNoOutput, .keyboardDisplay,
  ]

  /// A row for each initiator, a column for each responder: JW, NC for numeric comparison, PI where the initiator shows
  /// the passkey, PR where the responder does, PB where both type.
  private static let legacy = [
    "JW JW PI JW PI",
    "JW JW PI JW PI",
    "PR PR PB JW PR",
    "JW JW JW JW JW",
    "PR PR PI JW PI",
  ]

  private static let secureConnections = [
    "JW JW PI JW PI",
    "JW NC PI JW NC",
    "PR PR PB JW PR",
    "JW JW JW JW JW",
    "PR NC PI JW NC",
  ]

  private static func method(_ text: Substring) -> PairingMethod? {
    switch text {
    case "JW": .justWorks
    case "NC": .numericComparison
    case "PI": .passkey(initiatorTypes: false, responderTypes: true)
    case "PR": .passkey(initiatorTypes: true, responderTypes: false)
    case "PB": .passkey(initiatorTypes: true, responderTypes: true)
    default: nil
    }
  }

  @Test("What both can do decides the method", arguments: [false, true])
  func matrix(isSecureConnections: Bool) {
    let table = isSecureConnections ? Self.secureConnections : Self.legacy
    for (initiator, row) in zip(Self.capabilities, table) {
      for (responder, text) in zip(Self.capabilities, row.split(separator: " ")) {
        let method = PairingMethod(
          initiator: initiator, responder: responder, isAuthenticated: true, isSecureConnections: isSecureConnections)
        #expect(method == Self.method(text), "\(initiator.rawValue), \(responder.rawValue)")
      }
    }
  }

  @Test("Without protection against a man in the middle, any two devices just work", arguments: [false, true])
  func unprotected(isSecureConnections: Bool) {
    for initiator in Self.capabilities {
      for responder in Self.capabilities {
        let method = PairingMethod(
          initiator: initiator, responder: responder, isAuthenticated: false, isSecureConnections: isSecureConnections)
        #expect(method == .justWorks)
      }
    }
  }
}
