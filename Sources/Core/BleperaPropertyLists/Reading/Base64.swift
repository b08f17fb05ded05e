import BleperaBluetooth

/// Decodes the Base64 of `<data>` (RFC 4648, section 4), with white space anywhere.
package enum Base64 {
  package enum Result {
    case bytes([UInt8])
    case fault(index: Int, found: String, expected: String)
  }

  /// Refuses other characters, missing padding and text after the padding; the fault names the first wrong character.
  package static func decode(_ text: [UInt8]) -> Result {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    var group: UInt32 = 0
    var count = 0
    var padding = 0
    for index in 0..<text.count {
      let character = text[index]
      if character <= 0x20, XMLPropertyListReader.isBlank(character) { continue }
      if character == UInt8(ascii: "=") {
        padding += 1
        guard count + padding <= 4, count >= 2 else {
          return .fault(index: index, found: "the padding \"=\" where none may stand", expected: "Base64")
        }
        continue
      }
      guard let digit = digit(character) else {
        return .fault(
          index: index, found: "\(shown(text, at: index)) in Base64", expected: "A to Z, a to z, 0 to 9, +, / or =")
      }
      guard padding == 0 else {
        return .fault(
          index: index, found: "\(shown(text, at: index)) after the padding", expected: "the end of Base64")
      }
      group = group << 6 | UInt32(digit)
      count += 1
      if count == 4 {
        bytes.append(UInt8(truncatingIfNeeded: group >> 16))
        bytes.append(UInt8(truncatingIfNeeded: group >> 8))
        bytes.append(UInt8(truncatingIfNeeded: group))
        group = 0
        count = 0
      }
    }
    guard count > 0 || padding > 0 else { return .bytes(bytes) }
    guard count + padding == 4 else {
      let end = text.lastIndex { !XMLPropertyListReader.isBlank($0) } ?? 0
      return .fault(
        index: end, found: "Base64 that ends within a group of four",
        expected: count == 1 ? "whole groups" : "\"\(String(repeating: "=", count: 4 - count))\" at its end")
    }
    bytes.append(UInt8(truncatingIfNeeded: group >> (count == 3 ? 10 : 4)))
    if count == 3 { bytes.append(UInt8(truncatingIfNeeded: group >> 2)) }
    return .bytes(bytes)
  }

  private static func digit(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }

  /// The character whose UTF-8 begins at `index`, quoted.
  private static func shown(_ text: [UInt8], at index: Int) -> String {
    let rest = String(decoding: text[index..<min(index + 4, text.count)], as: UTF8.self)
    return Quote.text(String(rest.unicodeScalars.prefix(1)))
  }
}
