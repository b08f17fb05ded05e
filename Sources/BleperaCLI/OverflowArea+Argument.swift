import ArgumentParser
import GATT

extension OverflowArea {
  /// Reads a word of the command line.
  @Sendable static func argument(_ text: String) throws -> OverflowArea {
    let bytes = try bytes(text)
    do throws(OverflowAreaError) {
      return try OverflowArea(decoding: bytes)
    } catch {
      throw ValidationError("\(error)")
    }
  }

  /// Digits as tools print them: behind `0x`, with separators between bytes.
  private static func bytes(_ text: String) throws -> [UInt8] {
    let start = ["0x", "0X"].contains { text.hasPrefix($0) } ? 2 : 0
    let digits = text.dropFirst(start)
    if let index = digits.firstIndex(where: { !isDigit($0) && !isSeparator($0) }) {
      let place = text.distance(from: text.startIndex, to: index) + 1
      throw ValidationError("Found '\(text[index])' at character \(place); expected a hexadecimal digit.")
    }
    let count = digits.count(where: isDigit)
    guard count.isMultiple(of: 2) else {
      throw ValidationError("Found \(count) hexadecimal digit\(count == 1 ? "" : "s"); expected two for each byte.")
    }
    guard let bytes = Hex.bytes(String(digits.map { isSeparator($0) ? " " : $0 })) else {
      throw ValidationError("Found a separator within a byte; expected the two digits of a byte together.")
    }
    return bytes
  }

  private static func isDigit(_ character: Character) -> Bool { character.isASCII && character.isHexDigit }

  private static func isSeparator(_ character: Character) -> Bool {
    character.isASCII && (character.isWhitespace || character == ":" || character == "-")
  }
}
