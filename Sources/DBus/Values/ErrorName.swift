/// The name that an error message carries; its grammar is an interface name's (D-Bus specification, "Error names").
package struct ErrorName: CheckedText {
  package let rawValue: String

  package init(accepted rawValue: String) { self.rawValue = rawValue }

  package static func accepts(_ text: some Collection<UInt8>) -> Bool { InterfaceName.accepts(text) }
}
