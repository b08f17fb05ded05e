internal import GATT

/// The numbers of XML property lists.
package enum PropertyListNumber {
  package static let range = Int128(Int64.min)...Int128(UInt64.max)

  /// Decimal, or hexadecimal with `0x`, with a sign or none; nil outside `range`.
  package static func integer(_ text: ArraySlice<UInt8>) -> Int128? {
    var digits = text
    var isNegative = false
    if let sign = digits.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
      isNegative = sign == UInt8(ascii: "-")
      digits = digits.dropFirst()
    }
    var base: Int128 = 10
    if digits.starts(with: "0x".utf8) || digits.starts(with: "0X".utf8) {
      base = 16
      digits = digits.dropFirst(2)
    }
    guard !digits.isEmpty else { return nil }
    var value: Int128 = 0
    for character in digits {
      guard let digit = Hex.digit(character), Int128(digit) < base else { return nil }
      value = value * base + Int128(digit)
      guard value <= range.upperBound else { return nil }
    }
    if isNegative { value = -value }
    return range.contains(value) ? value : nil
  }

  /// Decimal with fraction and exponent, or one of the words nan, inf and infinity in any case.
  package static func real(_ text: ArraySlice<UInt8>) -> Double? {
    // No double needs as many digits, and the conversion should not have to find that out.
    guard !text.isEmpty, text.count <= 400 else { return nil }
    let string = String(decoding: text, as: UTF8.self)
    let word = string.lowercased()
    let unsigned = word.hasPrefix("+") || word.hasPrefix("-") ? String(word.dropFirst()) : word
    if unsigned == "nan" { return .nan }
    if unsigned == "inf" || unsigned == "infinity" { return word.hasPrefix("-") ? -.infinity : .infinity }
    let plain = Array("0123456789+-.eE".utf8)
    guard text.allSatisfy({ plain.contains($0) }), let value = Double(string), value.isFinite else { return nil }
    return value
  }
}
