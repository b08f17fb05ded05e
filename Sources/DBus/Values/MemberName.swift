/// The name of a method, a signal or a property: 1 to 255 bytes of `[A-Za-z0-9_]`, not beginning with a digit
/// (D-Bus specification, "Member names").
package struct MemberName: CheckedText {
  package let rawValue: String

  package init(accepted rawValue: String) { self.rawValue = rawValue }

  package static func accepts(_ text: some Collection<UInt8>) -> Bool {
    text.count <= NameGrammar.maximumLength && NameGrammar.isElement(text)
  }
}
