/// Text that a grammar of the D-Bus specification has accepted; all of it is ASCII.
///
/// `ObjectPath("/a")` with a literal is the literal's initializer, which traps on a fault of our own; text that comes
/// from outside goes through a variable to the failable one.
package protocol CheckedText: Comparable, CustomStringConvertible, ExpressibleByStringLiteral, Hashable, Sendable {
  var rawValue: String { get }

  /// Takes text that `accepts` has said yes to.
  init(accepted rawValue: String)

  static func accepts(_ text: some Collection<UInt8>) -> Bool
}

extension CheckedText {
  package init?(_ text: String) {
    guard Self.accepts(text.utf8) else { return nil }
    self.init(accepted: text)
  }

  package init(stringLiteral value: String) {
    precondition(Self.accepts(value.utf8), "not of the grammar of \(Self.self): \(value)")
    self.init(accepted: value)
  }

  package var description: String { rawValue }

  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
