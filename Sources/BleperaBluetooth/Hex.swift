/// Converts bytes to hexadecimal text and back.
public enum Hex {
  /// The value of one hexadecimal digit in either case, nil for any other character.
  public static func digit(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// Two digits a byte, with no prefix; `separator` goes between bytes.
  public static func string(_ bytes: some Sequence<UInt8>, uppercase: Bool = true, separator: String = "") -> String {
    let digits = Array((uppercase ? "0123456789ABCDEF" : "0123456789abcdef").utf8)
    var text: [UInt8] = []
    for byte in bytes {
      if !text.isEmpty { text += Array(separator.utf8) }
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Parses pairs of digits; ignores white space between bytes. Nil for anything else.
  public static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    var bytes: [UInt8] = []
    var high: UInt8?
    for character in text.utf8 {
      if character == UInt8(ascii: " ") || (9...13).contains(character) {
        guard high == nil else { return nil }
        continue
      }
      guard let digit = digit(character) else { return nil }
      if let first = high {
        bytes.append(first << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    return high == nil ? bytes : nil
  }
}
