import BleperaBluetooth

/// Reads strings, comments and white space.
extension TextPropertyListReader {
  static let quotes: [UInt8] = [UInt8(ascii: "\""), UInt8(ascii: "'")]

  /// Whether a string without quotation marks may have the byte.
  static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    case let byte: "_$/:.-".utf8.contains(byte)
    }
  }

  /// The byte at `index + distance`; 0 after the end.
  func peek(_ distance: Int) -> UInt8 { index + distance < bytes.count ? bytes[index + distance] : 0 }

  var isStringStart: Bool { index < bytes.count && (Self.isPlain(bytes[index]) || Self.quotes.contains(bytes[index])) }

  var isValueStart: Bool {
    isStringStart || [UInt8(ascii: "{"), UInt8(ascii: "("), UInt8(ascii: "<")].contains(peek(0))
  }

  /// The word at `offset`, or else the character there, quoted for a message.
  func shown(at offset: Int) -> String {
    guard offset < bytes.count else { return "the end of the file" }
    let rest = bytes[offset..<min(bytes.count, offset + 4 * (Quote.limit + 1))]
    let word = rest.prefix(while: Self.isPlain)
    guard word.isEmpty else { return Quote.text(String(decoding: word, as: UTF8.self)) }
    let text = String(decoding: rest.prefix(4), as: UTF8.self)
    return Quote.text(String(text.unicodeScalars.prefix(1)))
  }

  /// Skips white space and comments.
  mutating func skipBlanks(_ path: NodePath) throws(Stop) {
    while index < bytes.count {
      if XMLPropertyListReader.isBlank(bytes[index]) {
        index += 1
      } else if peek(0) == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "/") {
        let start = index
        while index < bytes.count, bytes[index] != 0x0A, bytes[index] != 0x0D { index += 1 }
        take(start, text: bytes[(start + 2)..<index], isLine: true)
      } else if peek(0) == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
        let start = index
        index += 2
        while index < bytes.count, !(peek(0) == UInt8(ascii: "*") && peek(1) == UInt8(ascii: "/")) { index += 1 }
        guard index < bytes.count else {
          throw stop(at: start, path, found: "a comment that does not end", expected: "*/")
        }
        take(start, text: bytes[(start + 2)..<index], isLine: false)
        index += 2
      } else {
        return
      }
    }
  }

  private mutating func take(_ start: Int, text: ArraySlice<UInt8>, isLine: Bool) {
    let comment = PropertyListComment(
      text: String(decoding: text, as: UTF8.self), offset: start, end: text.endIndex, owner: open.last,
      isTrailing: PropertyListComment.isTrailing(start, in: bytes), isLine: isLine)
    if let last = comments.last, last.continues(with: comment, in: bytes) {
      comments[comments.count - 1].append(comment)
    } else {
      comments.append(comment)
    }
  }

  /// Reads a string; nil where a fault of its content was reported.
  mutating func readString(_ path: NodePath) throws(Stop) -> String? {
    let start = index
    guard Self.quotes.contains(bytes[index]) else {
      while index < bytes.count, Self.isPlain(bytes[index]),
        !(peek(0) == UInt8(ascii: "/") && peek(1) == UInt8(ascii: "*"))
      {
        index += 1
      }
      return String(decoding: bytes[start..<index], as: UTF8.self)
    }
    let quote = bytes[index]
    index += 1
    var text: [UInt8] = []
    var isRight = true
    while true {
      guard index < bytes.count else {
        throw stop(
          at: start, path, found: "a string that does not end", expected: quote == 0x22 ? "\"" : "'")
      }
      let byte = bytes[index]
      switch byte {
      case quote:
        index += 1
        return isRight ? String(decoding: text, as: UTF8.self) : nil
      case UInt8(ascii: "\\"):
        if let scalar = readEscape(path) { text += Array(String(scalar).utf8) } else { isRight = false }
      case 0x0D:
        // An end of line is a line feed, as in XML.
        text.append(0x0A)
        index += peek(1) == 0x0A ? 2 : 1
      case 0..<0x20 where byte != 0x0A && byte != 0x09:
        report(
          at: index, path, found: "the control character U+00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))",
          expected: "text", fix: "write \\U00\(byte < 16 ? "0" : "")\(String(byte, radix: 16)) for it")
        isRight = false
        index += 1
      default:
        text.append(byte)
        index += 1
      }
    }
  }

  /// Reads an escape sequence; the index is at the backslash. Nil where its fault was reported.
  private mutating func readEscape(_ path: NodePath) -> Unicode.Scalar? {
    let start = index
    let byte = peek(1)
    index = min(index + 2, bytes.count)
    switch byte {
    case UInt8(ascii: "a"): return "\u{7}"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"), 0x0A: return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "v"): return "\u{B}"
    case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"): return Unicode.Scalar(byte)
    case UInt8(ascii: "0")...UInt8(ascii: "7"):
      index = start + 1
      let digits = bytes[index..<min(index + 3, bytes.count)].prefix {
        (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0)
      }
      index += digits.count
      let value = digits.reduce(0) { $0 * 8 + Int($1 - UInt8(ascii: "0")) }
      // Above 127 the digits mean NeXTSTEP's own encoding, not Unicode.
      if value < 128 { return Unicode.Scalar(UInt8(value)) }
      report(
        at: start, path, found: shownEscape(from: start), expected: "an octal number up to \\177",
        fix: "write \\U and four hexadecimal digits, such as \\U00E9")
      return nil
    case UInt8(ascii: "U"), UInt8(ascii: "u"):
      if let scalar = readUnicode(from: start) { return scalar }
      report(
        at: start, path, found: shownEscape(from: start),
        expected: "\\U and four hexadecimal digits of a character, or two of these for a surrogate pair")
      return nil
    default:
      index = start + 1
      report(
        at: start, path, found: shownEscape(from: start + (index < bytes.count ? 0 : 1)),
        expected: "one of \\n \\t \\r \\\" \\\\ \\U00E9 \\101", fix: "write \\\\ for the backslash itself")
      return nil
    }
  }

  private func shownEscape(from start: Int) -> String {
    let end = max(index, min(start + 2, bytes.count))
    return Quote.text(String(decoding: bytes[min(start, end)..<end], as: UTF8.self))
  }

  /// Reads the digits of `\U00E9`, or of two such escapes for a surrogate pair; the index is after the `U`.
  private mutating func readUnicode(from start: Int) -> Unicode.Scalar? {
    guard let first = readUnit() else { return nil }
    if let scalar = Unicode.Scalar(UInt32(first)) { return scalar }
    guard first < 0xDC00, peek(0) == UInt8(ascii: "\\"), peek(1) | 0x20 == UInt8(ascii: "u") else { return nil }
    let position = index
    index += 2
    guard let second = readUnit(), (0xDC00..<0xE000).contains(second) else {
      index = position
      return nil
    }
    return Unicode.Scalar(0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
  }

  private mutating func readUnit() -> UInt16? {
    let digits = bytes[index..<min(index + 4, bytes.count)]
    guard digits.count == 4, let value = UInt16(String(decoding: digits, as: UTF8.self), radix: 16),
      digits.first != UInt8(ascii: "+"), digits.first != UInt8(ascii: "-")
    else { return nil }
    index += 4
    return value
  }
}
