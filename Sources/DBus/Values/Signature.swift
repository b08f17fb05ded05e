/// No, one or more complete types: at most 255 bytes, 32 arrays and 32 structures deep, no empty structure, dictionary
/// entries only as elements of arrays and with a basic key (D-Bus specification, "Valid Signatures").
package struct Signature: Sendable {
  /// The longest signature, in bytes.
  package static let maximumLength = 255
  /// How deep arrays may stand in arrays, and again structures in structures.
  package static let maximumNesting = 32

  package let types: [DBusType]
  package let text: String

  package init?(_ text: String) {
    guard text.utf8.count <= Self.maximumLength else { return nil }
    var parser = SignatureParser(text.utf8)
    guard let types = parser.types(), Self.isWithinLimits(types) else { return nil }
    self.types = types
    self.text = text
  }

  /// The signature of a body whose arguments are of these types.
  package init?(_ types: [DBusType]) {
    guard Self.isWithinLimits(types) else { return nil }
    self.types = types
    text = types.map(\.signature).joined()
  }

  private static func isWithinLimits(_ types: [DBusType]) -> Bool {
    var meter = SignatureMeter()
    do throws(MessageRefusal) {
      for type in types { try meter.add(type) }
      return true
    } catch {
      return false
    }
  }
}

extension Signature: Hashable {
  package static func == (left: Signature, right: Signature) -> Bool { left.text == right.text }

  package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension Signature: CustomStringConvertible {
  package var description: String { text }
}

extension Signature: ExpressibleByStringLiteral {
  /// Traps on a fault of our own.
  package init(stringLiteral value: String) {
    guard let signature = Signature(value) as Signature? else { preconditionFailure("not a signature: \(value)") }
    self = signature
  }
}
