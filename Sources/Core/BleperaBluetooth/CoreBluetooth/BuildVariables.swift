/// The build variables of an Info.plist, `$(NAME)` and `${NAME}`, also with a modifier. Xcode replaces them when it
/// builds an app; here nothing does.
package enum BuildVariables {
  /// Whether a text has a variable.
  package static func areIn(_ text: String) -> Bool { replaced(in: text, by: "") != nil }

  /// A bundle identifier with a name in place of each variable, as with the modifier `rfc1034identifier`: characters
  /// that an identifier may not contain become hyphens. Nil for a text without a variable.
  ///
  /// - Parameter name: The app's name, as `PRODUCT_NAME` has it: the name of its file or its executable.
  package static func identifier(_ text: String, name: String) -> String? {
    let bytes = name.utf8.map { isAllowed($0) ? $0 : UInt8(ascii: "-") }
    return replaced(in: text, by: String(decoding: bytes, as: UTF8.self))
  }

  /// Whether a bundle identifier may contain the byte.
  package static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// A variable that does not end takes the rest of the text.
  private static func replaced(in text: String, by name: String) -> String? {
    let parts = text.split(separator: "$", omittingEmptySubsequences: false)
    var (result, isReplaced) = (String(parts[0]), false)
    for part in parts.dropFirst() {
      guard let end: Character = ["(": ")", "{": "}"][part.first] else {
        result += "$\(part)"
        continue
      }
      result += name + (part.firstIndex(of: end).map { part[$0...].dropFirst() } ?? "")
      isReplaced = true
    }
    return isReplaced ? result : nil
  }
}
