/// The content of a rule's value that a capture shows: as a phone's file gives it, and as a capture measures it.
package indirect enum RuleContent: Hashable, Sendable {
  case milliseconds(Double)
  /// With the unit of the value: dBm, bytes.
  case number(Int)
  case word(String)
  case bytes([UInt8])
  case list([RuleContent])
  /// Names and contents, in order.
  case fields([Field])
  /// The phone does not send or do this.
  case none

  package struct Field: Hashable, Sendable {
    package let name: String
    package let content: RuleContent

    package init(_ name: String, _ content: RuleContent) {
      self.name = name
      self.content = content
    }
  }
}

/// Where a value of a rule can be measured.
package enum RuleVisibility: String, Hashable, Encodable, Sendable {
  /// In packets that a sniffer receives.
  case air
  /// In the phone's own log of its HCI traffic alone.
  case hci
}
