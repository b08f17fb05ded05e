extension JSONObjectReader {
  /// The text that stands between quotation marks with escapes.
  static func unescaped(_ escaped: ArraySlice<UInt8>) throws(Failure) -> String {
    var rest = escaped
    var text: [UInt8] = []
    // A character may have two escapes (UTF-16).
    var units: [UInt16] = []
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        text.append(byte)
        continue
      }
      guard let letter = rest.popFirst() else { throw .invalid }
      if let byte = letter == UInt8(ascii: "/")
        ? letter : JSONEscape.letters.first(where: { $0.letter == letter })?.byte
      {
        text.append(byte)
        continue
      }
      let digits = rest.prefix(4)
      guard letter == UInt8(ascii: "u"), digits.count == 4, digits.first != UInt8(ascii: "+"),
        let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
      else { throw .invalid }
      units.append(unit)
      rest = rest.dropFirst(4)
      if rest.starts(with: "\\u".utf8) { continue }
      guard let characters = String(validating: units, as: UTF16.self) else { throw .invalid }
      text += characters.utf8
      units = []
    }
    guard let result = String(validating: text, as: UTF8.self) else { throw .invalid }
    return result
  }
}
