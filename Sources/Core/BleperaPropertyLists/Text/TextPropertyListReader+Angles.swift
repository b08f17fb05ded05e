import BleperaBluetooth

/// Reads the contents of angle brackets: data, and values with a type.
extension TextPropertyListReader {
  /// Reads `<06 54>`, `<[BlQ=]>` or `<*I5>`; the index is at the `<`.
  mutating func readAngles(_ path: NodePath) throws(Stop) -> PropertyListValue {
    let start = index
    guard let end = bytes[index...].firstIndex(of: UInt8(ascii: ">")) else {
      throw stop(at: start, path, found: "data that does not end", expected: ">")
    }
    index = end + 1
    if end > start + 1, bytes[start + 1] == UInt8(ascii: "*") { return typed(start, end, path) }
    if end > start + 1, bytes[start + 1] == UInt8(ascii: "[") { return base64(start, end, path) }
    var data: [UInt8] = []
    var high: UInt8?
    for position in (start + 1)..<end where !XMLPropertyListReader.isBlank(bytes[position]) {
      guard let digit = Hex.digit(bytes[position]) else {
        report(
          at: position, path, found: "\(shown(at: position)) in data", expected: "hexadecimal digits, as in <06 54>")
        return .faulty
      }
      if let first = high {
        data.append(first << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    guard high == nil else {
      report(at: end, path, found: "data that ends within a byte", expected: "two hexadecimal digits for each byte")
      return .faulty
    }
    return .data(data)
  }

  /// The data of GNUstep's `<[BlQ=]>`, between the offsets of its angle brackets.
  private mutating func base64(_ start: Int, _ end: Int, _ path: NodePath) -> PropertyListValue {
    guard end > start + 2, bytes[end - 1] == UInt8(ascii: "]") else {
      report(at: end, path, found: "Base64 that does not end", expected: "]>, as in <[BlQ=]>")
      return .faulty
    }
    switch Base64.decode(Array(bytes[(start + 2)..<(end - 1)])) {
    case .bytes(let data): return .data(data)
    case .fault(let index, let found, let expected):
      report(at: start + 2 + index, path, found: found, expected: expected)
      return .faulty
    }
  }

  /// The value of GNUstep's `<*I5>`, between the offsets of its angle brackets.
  private mutating func typed(_ start: Int, _ end: Int, _ path: NodePath) -> PropertyListValue {
    let content = bytes[min(start + 3, end)..<end]
    let value: PropertyListValue? =
      switch bytes[start + 2] {
      case UInt8(ascii: "I"): PropertyListNumber.integer(content).map { .integer($0) }
      case UInt8(ascii: "R"): PropertyListNumber.real(content).map { .real($0) }
      case UInt8(ascii: "B"):
        Array(content) == Array("Y".utf8)
          ? .boolean(true)
          : Array(content) == Array("N".utf8) ? .boolean(false) : nil
      case UInt8(ascii: "D"):
        PropertyListDate.seconds(ofText: String(decoding: content, as: UTF8.self)).map { .date($0) }
      default: nil
      }
    if let value { return value }
    let shown = String(decoding: bytes[start...min(end, start + 4 * Quote.limit)], as: UTF8.self)
    report(
      at: start, path, found: Quote.text(shown),
      expected: "<*I5>, <*R1.5>, <*BY>, <*BN> or <*D2024-02-29 12:00:00 +0000>")
    return .faulty
  }
}
