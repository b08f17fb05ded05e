/// Two or more elements of `[A-Za-z0-9_]`, none of them beginning with a digit, at most 255 bytes
/// (D-Bus specification, "Interface names").
package struct InterfaceName: CheckedText {
  package let rawValue: String

  package init(accepted rawValue: String) { self.rawValue = rawValue }

  package static func accepts(_ text: some Collection<UInt8>) -> Bool {
    text.count <= NameGrammar.maximumLength && NameGrammar.isDotted(text)
  }
}
