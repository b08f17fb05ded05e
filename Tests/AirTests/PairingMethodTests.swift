import BleperaAir
import Testing

@Suite("How devices pair")
struct PairingMethodTests {
  /// Core Specification, Vol 3, Part H, table 2.8, with LE Secure Connections.
  static let table: [(PairingCapability, PairingCapability, PairingMethod)] = [
    (.displayOnly, .displayOnly, .justWorks), (.displayOnly, .displayYesNo, .justWorks),
    (.displayOnly, .keyboardOnly, .passkey(initiatorTypes: false, responderTypes: true)),
    (.displayOnly, .keyboardDisplay, .passkey(initiatorTypes: false, responderTypes: true)),
    (.displayYesNo, .displayYesNo, .numericComparison), (.displayYesNo, .keyboardDisplay, .numericComparison),
    (.displayYesNo, .keyboardOnly, .passkey(initiatorTypes: false, responderTypes: true)),
    (.keyboardOnly, .displayOnly, .passkey(initiatorTypes: true, responderTypes: false)),
    (.keyboardOnly, .displayYesNo, .passkey(initiatorTypes: true, responderTypes: false)),
    (.keyboardOnly, .keyboardOnly, .passkey(initiatorTypes: true, responderTypes: true)),
    (.keyboardOnly, .keyboardDisplay, .passkey(initiatorTypes: true, responderTypes: false)),
    (.keyboardDisplay, .displayOnly, .passkey(initiatorTypes: true, responderTypes: false)),
    (.keyboardDisplay, .keyboardOnly, .passkey(initiatorTypes: false, responderTypes: true)),
    (.keyboardDisplay, .keyboardDisplay, .numericComparison),
    (.noInputNoOutput, .keyboardDisplay, .justWorks), (.keyboardOnly, .noInputNoOutput, .justWorks),
  ]

  @Test("What both can do decides the method", arguments: table)
  func method(initiator: PairingCapability, responder: PairingCapability, expected: PairingMethod) {
    #expect(PairingMethod(initiator: initiator, responder: responder) == expected)
  }
}
