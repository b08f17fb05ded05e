/// The grammars of "Valid Names" in the D-Bus specification, over ASCII bytes.
enum NameGrammar {
  /// The longest bus, interface, member or error name, in bytes.
  static let maximumLength = 255

  static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  /// `[A-Za-z0-9_]`: what elements of every name are made of.
  static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
    default: isDigit(byte)
    }
  }

  /// Two or more elements with a period between each two.
  static func isDotted(_ text: some Collection<UInt8>, hyphens: Bool = false, leadingDigits: Bool = false) -> Bool {
    var periods = 0
    var startsElement = true
    for byte in text {
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

  /// One element that does not begin with a digit.
  static func isElement(_ text: some Collection<UInt8>) -> Bool {
    guard let first = text.first, !isDigit(first) else { return false }
    return text.allSatisfy(isWord)
  }
}
