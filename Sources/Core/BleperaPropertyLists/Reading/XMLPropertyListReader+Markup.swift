import BleperaBluetooth

/// Reads everything around the elements: encoding, prolog, comments, processing instructions.
extension XMLPropertyListReader {
  /// The fault of a text in another encoding, at the first byte that is not UTF-8; nil for a text in UTF-8.
  static func encodingFault(of bytes: [UInt8]) -> (offset: Int, found: String)? {
    let utf16: [[UInt8]] = [[0xFE, 0xFF], [0xFF, 0xFE], [0x3C, 0x00], [0x00, 0x3C]]
    if utf16.contains(where: { bytes.starts(with: $0) }) { return (0, "UTF-16") }
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: bytes.span)
      return nil
    } catch {
      let offset = min(max(error.byteOffsets.lowerBound, 0), bytes.count)
      let byte = offset < bytes.count ? String(bytes[offset], radix: 16, uppercase: true) : "?"
      return (offset, "the byte 0x\(byte), which is not UTF-8")
    }
  }

  /// Refuses other encodings than UTF-8, and skips a byte order mark.
  mutating func checkEncoding() throws(Stop) {
    if let fault = Self.encodingFault(of: bytes) { throw stop(at: fault.offset, found: fault.found, expected: "UTF-8") }
    if bytes.starts(with: Self.byteOrderMark) { index = Self.byteOrderMark.count }
    guard index < bytes.count else {
      throw stop(at: index, found: "an empty file", expected: "a property list: text, XML or binary")
    }
  }

  /// Reads up to the end of `<plist>`.
  mutating func readProlog() throws(Stop) {
    if starts("<?xml"), bytes.count > index + 5, Self.isBlank(bytes[index + 5]) { try readDeclaration() }
    var hasType = false
    while true {
      while index < bytes.count, Self.isBlank(bytes[index]) { index += 1 }
      if try skipMarkup() { continue }
      guard starts("<!DOCTYPE") else { break }
      if hasType { throw stop(at: index, found: "a second <!DOCTYPE", expected: "<plist>") }
      hasType = true
      try skipDocumentType()
    }
    guard index < bytes.count else {
      throw stop(at: index, found: "the end of the file", expected: "<plist>")
    }
    let start = index
    guard bytes[index] == UInt8(ascii: "<"), !starts("</"), !starts("<!") else {
      let shown = Self.firstLine(bytes[index..<min(bytes.count, index + 4 * (Quote.limit + 1))])
      throw stop(at: start, found: Quote.text(shown), expected: "a property list: text, XML or binary")
    }
    let tag = try readTag()
    guard tag.name == XMLElement.plist.rawValue else {
      throw stop(at: start, found: "<\(Self.shortened(tag.name))>", expected: "<plist>")
    }
    if tag.isEmpty {
      throw stop(at: start, found: "an empty <plist/>", expected: "a dictionary in it")
    }
    stack.append(XMLFrame(kind: .plist, name: tag.name, offset: start, contentOffset: index))
  }

  /// Reads `<?xml version="1.0" encoding="UTF-8"?>`.
  private mutating func readDeclaration() throws(Stop) {
    let start = index
    index += 5
    while true {
      while index < bytes.count, Self.isBlank(bytes[index]) { index += 1 }
      if starts("?>") {
        index += 2
        return
      }
      guard index < bytes.count, Self.isName(bytes[index]) else {
        throw stop(at: start, found: "an XML declaration that does not end", expected: "?>")
      }
      let (name, value, offset) = try readAttribute()
      let known = ["UTF-8", "UTF8", "US-ASCII", "ASCII"]
      if name == "encoding", !known.contains(value.uppercased()) {
        throw stop(at: offset, found: "the encoding \(Quote.text(value))", expected: "UTF-8")
      }
    }
  }

  /// Skips a document type declaration; refuses one with an internal subset.
  private mutating func skipDocumentType() throws(Stop) {
    let start = index
    index += 9
    var quote: UInt8?
    while index < bytes.count {
      let byte = bytes[index]
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if byte == UInt8(ascii: "[") {
        throw stop(
          at: index, found: "declarations within <!DOCTYPE", expected: "the document type of a property list alone")
      } else if byte == UInt8(ascii: ">") {
        index += 1
        return
      }
      index += 1
    }
    throw stop(at: start, found: "a <!DOCTYPE that does not end", expected: ">")
  }

  /// Skips a comment or a processing instruction; false where there is none at the index.
  mutating func skipMarkup() throws(Stop) -> Bool {
    guard peek(0) == UInt8(ascii: "<") else { return false }
    switch peek(1) {
    case UInt8(ascii: "?"):
      try skip(past: "?>", from: index + 2, what: "a processing instruction")
      return true
    case UInt8(ascii: "!"):
      guard starts("<!--") else { return false }
      let start = index
      try skip(past: "-->", from: index + 4, what: "a comment")
      comments.append(comment(from: start))
      return true
    default:
      return false
    }
  }

  private func comment(from start: Int) -> PropertyListComment {
    let owner = stack.last { $0.kind == .dictionary || $0.kind == .array }?.offset
    return PropertyListComment(
      text: String(decoding: bytes[(start + 4)..<(index - 3)], as: UTF8.self), offset: start, end: index, owner: owner,
      isTrailing: PropertyListComment.isTrailing(start, in: bytes), isLine: false)
  }

  private mutating func skip(past end: String, from offset: Int, what: String) throws(Stop) {
    let start = index
    guard let found = find(end, from: offset) else {
      throw stop(at: start, found: "\(what) that does not end", expected: end)
    }
    index = found + end.utf8.count
  }

  /// The offset of the next occurrence of `text` from `offset` on.
  func find(_ text: String, from offset: Int) -> Int? {
    let text = Array(text.utf8)
    guard let first = text.first else { return offset }
    var position = offset
    while position + text.count <= bytes.count {
      if bytes[position] == first {
        var matched = 1
        while matched < text.count, bytes[position + matched] == text[matched] { matched += 1 }
        if matched == text.count { return position }
      }
      position += 1
    }
    return nil
  }
}
