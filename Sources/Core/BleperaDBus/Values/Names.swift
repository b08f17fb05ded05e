/// Text that conforms to a grammar of the D-Bus specification; always ASCII.
///
/// `ObjectPath("/a")` with a literal calls the literal initializer, which traps on an invalid literal; text from
/// outside is passed in a variable to the failable initializer.
package protocol CheckedText: Comparable, CustomStringConvertible, ExpressibleByStringLiteral, Hashable, Sendable {
  var rawValue: String { get }

  /// Requires text for which `accepts` returns true.
  init(accepted rawValue: String)

  static func accepts(_ text: Span<UInt8>) -> Bool
}

extension CheckedText {
  package init?(_ text: String) {
    guard Self.accepts(text.utf8Span.span) else { return nil }
    self.init(accepted: text)
  }

  package init(stringLiteral value: String) {
    precondition(Self.accepts(value.utf8Span.span), "not of the grammar of \(Self.self): \(value)")
    self.init(accepted: value)
  }

  package var description: String { rawValue }

  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A unique name (`:1.42`) or a well-known name (`org.bluez`), at most 255 bytes (D-Bus specification, "Bus names").
package struct BusName: CheckedText {
  package let rawValue: String

  package init(accepted rawValue: String) { self.rawValue = rawValue }

  /// Whether the name is unique: the bus assigned it to one connection and never reuses it.
  package var isUnique: Bool { rawValue.utf8.first == UInt8(ascii: ":") }

  package static func accepts(_ text: Span<UInt8>) -> Bool {
    guard text.count <= NameGrammar.maximumLength else { return false }
    guard !text.isEmpty, text[0] == UInt8(ascii: ":") else { return NameGrammar.isDotted(text, hyphens: true) }
    return NameGrammar.isDotted(text.extracting(1..<text.count), hyphens: true, leadingDigits: true)
  }
}

/// Two or more elements of `[A-Za-z0-9_]`, none of them beginning with a digit, at most 255 bytes
/// (D-Bus specification, "Interface names").
package struct InterfaceName: CheckedText {
  package let rawValue: String

  package init(accepted rawValue: String) { self.rawValue = rawValue }

  package static func accepts(_ text: Span<UInt8>) -> Bool {
    text.count <= NameGrammar.maximumLength && NameGrammar.isDotted(text)
  }
}

/// The name of a method, a signal or a property: 1 to 255 bytes of `[A-Za-z0-9_]`, not beginning with a digit
/// (D-Bus specification, "Member names").
package struct MemberName: CheckedText {
  package let rawValue: String

  package init(accepted rawValue: String) { self.rawValue = rawValue }

  package static func accepts(_ text: Span<UInt8>) -> Bool {
    text.count <= NameGrammar.maximumLength && NameGrammar.isElement(text)
  }
}

/// The name of an error, with the grammar of an interface name (D-Bus specification, "Error names").
package struct ErrorName: CheckedText {
  package let rawValue: String

  package init(accepted rawValue: String) { self.rawValue = rawValue }

  package static func accepts(_ text: Span<UInt8>) -> Bool { InterfaceName.accepts(text) }
}

/// The grammars of "Valid Names" in the D-Bus specification, for ASCII bytes.
enum NameGrammar {
  /// The maximum length of a bus, interface, member or error name, in bytes.
  static let maximumLength = 255

  static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  /// `[A-Za-z0-9_]`: the characters of name elements.
  static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
    default: isDigit(byte)
    }
  }

  /// Whether the text has two or more elements separated by periods.
  static func isDotted(_ text: Span<UInt8>, hyphens: Bool = false, leadingDigits: Bool = false) -> Bool {
    var periods = 0
    var startsElement = true
    for index in text.indices {
      let byte = text[index]
      if byte == UInt8(ascii: ".") {
        guard !startsElement else { return false }
        periods += 1
        startsElement = true
      } else {
        guard isWord(byte) || (hyphens && byte == UInt8(ascii: "-")) else { return false }
        guard leadingDigits || !startsElement || !isDigit(byte) else { return false }
        startsElement = false
      }
    }
    return periods > 0 && !startsElement
  }

  /// Whether the text is an element that does not begin with a digit.
  static func isElement(_ text: Span<UInt8>) -> Bool {
    guard !text.isEmpty, !isDigit(text[0]) else { return false }
    for index in text.indices where !isWord(text[index]) { return false }
    return true
  }
}

extension InterfaceName {
  /// The bus itself: Hello, AddMatch, RequestName, NameOwnerChanged.
  package static let bus: InterfaceName = "org.freedesktop.DBus"
  package static let properties: InterfaceName = "org.freedesktop.DBus.Properties"
  package static let introspectable: InterfaceName = "org.freedesktop.DBus.Introspectable"
  package static let peer: InterfaceName = "org.freedesktop.DBus.Peer"
  package static let objectManager: InterfaceName = "org.freedesktop.DBus.ObjectManager"
  /// libdbus-1's local interface, for Disconnected; never on a bus.
  package static let local: InterfaceName = "org.freedesktop.DBus.Local"
}

extension BusName {
  /// The bus itself, as destination and as sender.
  package static let bus: BusName = "org.freedesktop.DBus"
}

extension ObjectPath {
  /// The object path of the bus itself.
  package static let bus: ObjectPath = "/org/freedesktop/DBus"
  /// libdbus-1's local path, for Disconnected; never on a bus.
  package static let local: ObjectPath = "/org/freedesktop/DBus/Local"
}

/// The errors of the specification and of libdbus-1's `dbus-protocol.h`.
extension ErrorName {
  /// A generic error, if no other error fits.
  package static let failed: ErrorName = "org.freedesktop.DBus.Error.Failed"
  package static let nameHasNoOwner: ErrorName = "org.freedesktop.DBus.Error.NameHasNoOwner"
  /// The reply did not arrive in time, or its sender left the bus; libdbus-1 also creates this error.
  package static let noReply: ErrorName = "org.freedesktop.DBus.Error.NoReply"
  package static let notSupported: ErrorName = "org.freedesktop.DBus.Error.NotSupported"
  package static let limitsExceeded: ErrorName = "org.freedesktop.DBus.Error.LimitsExceeded"
  /// The policy of the bus forbids the message.
  package static let accessDenied: ErrorName = "org.freedesktop.DBus.Error.AccessDenied"
  package static let invalidArgs: ErrorName = "org.freedesktop.DBus.Error.InvalidArgs"
  package static let unknownMethod: ErrorName = "org.freedesktop.DBus.Error.UnknownMethod"
  package static let unknownObject: ErrorName = "org.freedesktop.DBus.Error.UnknownObject"
  package static let unknownInterface: ErrorName = "org.freedesktop.DBus.Error.UnknownInterface"
  package static let unknownProperty: ErrorName = "org.freedesktop.DBus.Error.UnknownProperty"
  package static let propertyReadOnly: ErrorName = "org.freedesktop.DBus.Error.PropertyReadOnly"
  package static let invalidSignature: ErrorName = "org.freedesktop.DBus.Error.InvalidSignature"
}
