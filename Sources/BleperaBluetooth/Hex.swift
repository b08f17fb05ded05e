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

  /// The digit of a number from 0 to 15.
  static func digit(of number: UInt8, uppercase: Bool) -> UInt8 {
    number < 10 ? UInt8(ascii: "0") + number : UInt8(ascii: uppercase ? "A" : "a") + number - 10
  }

  /// Two digits a byte, with no prefix; `separator` goes between bytes.
  public static func string(_ bytes: some Sequence<UInt8>, uppercase: Bool = true, separator: String = "") -> String {
    var text: [UInt8] = []
    text.reserveCapacity((2 + separator.utf8.count) * bytes.underestimatedCount)
    for byte in bytes {
      if !text.isEmpty { text += separator.utf8 }
      text.append(digit(of: byte >> 4, uppercase: uppercase))
      text.append(digit(of: byte & 15, uppercase: uppercase))
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The same for an array, without the generic code's detours.
  public static func string(_ bytes: [UInt8]) -> String {
    unsafe String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
      for index in 0..<bytes.count {
        unsafe text[2 * index] = digit(of: bytes[index] >> 4, uppercase: true)
        unsafe text[2 * index + 1] = digit(of: bytes[index] & 15, uppercase: true)
      }
      return 2 * bytes.count
    }
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
