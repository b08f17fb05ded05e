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
    let bytes = Array(bytes)
    let separator = Array(separator.utf8)
    return unsafe String(unsafeUninitializedCapacity: (2 + separator.count) * bytes.count) { text in
      var count = 0
      for index in 0..<bytes.count {
        if index > 0 {
          for character in separator {
            unsafe text[count] = character
            count += 1
          }
        }
        unsafe text[count] = digit(of: bytes[index] >> 4, uppercase: uppercase)
        unsafe text[count + 1] = digit(of: bytes[index] & 15, uppercase: uppercase)
        count += 2
      }
      return count
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
