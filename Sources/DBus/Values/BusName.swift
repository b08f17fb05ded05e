/// A unique name (`:1.42`) or a well-known one (`org.bluez`), at most 255 bytes (D-Bus specification, "Bus names").
package struct BusName: CheckedText {
  package let rawValue: String

  package init(accepted rawValue: String) { self.rawValue = rawValue }

  /// Whether the bus gave it to one connection, never to be given again.
  package var isUnique: Bool { rawValue.utf8.first == UInt8(ascii: ":") }

  package static func accepts(_ text: some Collection<UInt8>) -> Bool {
    guard text.count <= NameGrammar.maximumLength else { return false }
    guard text.first == UInt8(ascii: ":") else { return NameGrammar.isDotted(text, hyphens: true) }
    return NameGrammar.isDotted(text.dropFirst(), hyphens: true, leadingDigits: true)
  }
}
