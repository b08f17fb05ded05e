extension Terminal {
  /// The text of one line with control characters (C0 without the tab, DEL and C1) escaped as in JSON, so that JSON
  /// stays valid. On a terminal with color, styles are kept.
  func escaped(_ line: String) -> String {
    guard line.utf8.contains(where: Self.isSuspicious) else { return line }
    var bytes: [UInt8] = []
    append(line, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  func append(_ line: String, to bytes: inout [UInt8]) {
    var line = line
    line.withUTF8 { text in
      // Most lines have nothing to escape.
      if unsafe Self.isPlain(text) { return unsafe bytes.append(contentsOf: text) }
      var start = 0
      var index = 0
      while index < text.count {
        let byte = unsafe text[index]
        guard Self.isSuspicious(byte), case let end = unsafe index + length(of: text[index...]), end > index else {
          index += 1
          continue
        }
        unsafe bytes.append(contentsOf: text[start..<index])
        unsafe Self.appendEscape(text[end - 1], to: &bytes)
        (start, index) = (end, end)
      }
      unsafe bytes.append(contentsOf: text[start...])
    }
  }

  /// Whether all bytes are printable ASCII; eight bytes are checked at a time.
  private static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let bytes = UnsafeRawBufferPointer(text)
    var index = 0
    var found: UInt64 = 0
    while index + 8 <= bytes.count {
      let word = unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      // A high bit is set for each byte that is below 0x20, is 0x7F or is not ASCII.
      found |= word | (word &- 0x2020_2020_2020_2020) | (word &+ 0x0101_0101_0101_0101)
      index += 8
    }
    guard found & 0x8080_8080_8080_8080 == 0 else { return false }
    return unsafe text[index...].allSatisfy { (0x20..<0x7F).contains($0) }
  }

  /// Whether a control character may begin with the byte; UTF-8 encodes C1 as C2 80 to C2 9F.
  private static func isSuspicious(_ byte: UInt8) -> Bool {
    byte < 0x20 && byte != UInt8(ascii: "\t") || byte == 0x7F || byte == 0xC2
  }

  /// The length of the control character at the start of the text, in bytes; 0 for other characters and for styles.
  private func length(of text: Slice<UnsafeBufferPointer<UInt8>>) -> Int {
    let next = unsafe text.dropFirst()
    switch unsafe text.first {
    case 0xC2: return unsafe (0x80...0x9F).contains(next.first ?? 0) ? 2 : 0
    case 0x1B where hasColor:
      let end = unsafe next.prefix(4).firstIndex(of: UInt8(ascii: "m"))
      guard unsafe next.first == UInt8(ascii: "["), let end else { return 1 }
      let style = unsafe String(decoding: next[next.startIndex + 1..<end], as: UTF8.self)
      return style == "0" || !style.isEmpty && Style(rawValue: style) != nil ? 0 : 1
    default: return 1
    }
  }

  private static func appendEscape(_ code: UInt8, to bytes: inout [UInt8]) {
    switch code {
    case UInt8(ascii: "\n"): bytes += "\\n".utf8
    case UInt8(ascii: "\r"): bytes += "\\r".utf8
    default: bytes += "\\u00\(code < 0x10 ? "0" : "")\(String(code, radix: 16))".utf8
    }
  }
}
