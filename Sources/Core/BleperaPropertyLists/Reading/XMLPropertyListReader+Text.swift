import BleperaBluetooth

/// Reads the text of an element.
extension XMLPropertyListReader {
  /// Reads text up to the end of the closing tag of `name`, whose opening tag is at `offset`.
  mutating func readText(of name: String, from offset: Int) throws(Stop) -> XMLText {
    var text = XMLText(start: index)
    var run = index
    while true {
      guard index < bytes.count else {
        throw stop(
          at: bytes.count, found: "the end of the file",
          expected: "</\(name)> for the tag of line \(lines.position(of: offset).line)")
      }
      let byte = bytes[index]
      if byte > 0x3C || (byte >= 0x20 && byte != 0x26 && byte != 0x3C) || byte == 0x0A || byte == 0x09 {
        index += 1
        continue
      }
      text.append(bytes[run..<index])
      switch byte {
      case UInt8(ascii: "<"):
        if try skipMarkup() {
        } else if starts("<![CDATA[") {
          text.append(try readCharacterData())
        } else {
          try closeText(of: name, from: offset)
          return text
        }
      case UInt8(ascii: "&"):
        readReference(into: &text)
      case 0x0D:
        // XML normalizes every end of line to a line feed (2.11).
        text.append("\n", source: index)
        index += 1
        if index < bytes.count, bytes[index] == 0x0A { index += 1 }
      default:
        report(
          at: index, found: "the control character U+00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))",
          expected: "text")
        text.hasFault = true
        // Reports a run of control characters once.
        while index < bytes.count, bytes[index] < 0x20, !Self.isBlank(bytes[index]) { index += 1 }
      }
      run = index
    }
  }

  private mutating func closeText(of name: String, from offset: Int) throws(Stop) {
    let start = index
    let line = lines.position(of: offset).line
    guard starts("</") else {
      let tag = try readTag()
      throw stop(
        at: start, found: "<\(Self.shortened(tag.name))> within <\(name)>",
        expected: "</\(name)> for the tag of line \(line)")
    }
    index += 2
    let first = index
    while index < bytes.count, Self.isName(bytes[index]) { index += 1 }
    let found = String(decoding: bytes[first..<index], as: UTF8.self)
    guard found == name else {
      throw stop(at: start, found: "</\(Self.shortened(found))>", expected: "</\(name)> for the tag of line \(line)")
    }
    while index < bytes.count, Self.isBlank(bytes[index]) { index += 1 }
    guard index < bytes.count, bytes[index] == UInt8(ascii: ">") else {
      throw stop(at: start, found: "</\(name) that does not end", expected: ">")
    }
    index += 1
  }

  /// Reads `<![CDATA[...]]>`.
  mutating func readCharacterData() throws(Stop) -> ArraySlice<UInt8> {
    let first = index + 9
    guard let end = find("]]>", from: first) else {
      throw stop(at: index, found: "a <![CDATA[ that does not end", expected: "]]>")
    }
    index = end + 3
    return bytes[first..<end]
  }

  /// Reads `&amp;`, `&#38;` or `&#x26;`; the index is at the `&`.
  private mutating func readReference(into text: inout XMLText) {
    let start = index
    // The longest valid reference has ten characters.
    let limit = min(bytes.count, start + 12)
    var end = start + 1
    while end < limit, Self.isName(bytes[end]) || bytes[end] == UInt8(ascii: "#") { end += 1 }
    index = end
    let body = String(decoding: bytes[(start + 1)..<end], as: UTF8.self)
    if end < bytes.count, bytes[end] == UInt8(ascii: ";") {
      index = end + 1
      if let scalar = Self.scalar(named: body) {
        text.append(scalar, source: start)
        return
      }
    }
    text.hasFault = true
    let shown = "&" + body + (index > end ? ";" : "")
    report(
      at: start, found: Quote.text(shown),
      expected: "one of &lt; &gt; &amp; &quot; &apos; &#38; &#x26;", fix: "write &amp; for the character itself")
  }

  private static func scalar(named name: String) -> Unicode.Scalar? {
    switch name {
    case "lt": return "<"
    case "gt": return ">"
    case "amp": return "&"
    case "quot": return "\""
    case "apos": return "'"
    default: break
    }
    let digits = Array(name.utf8)
    guard digits.first == UInt8(ascii: "#") else { return nil }
    let isHex = digits.dropFirst().first == UInt8(ascii: "x")
    let number = digits.dropFirst(isHex ? 2 : 1)
    // UInt32(_:radix:) accepts a sign.
    guard number.first != UInt8(ascii: "+"), number.first != UInt8(ascii: "-"),
      let value = UInt32(String(decoding: number, as: UTF8.self), radix: isHex ? 16 : 10),
      value >= 0x20 || value == 0x09 || value == 0x0A || value == 0x0D, value != 0xFFFE, value != 0xFFFF
    else { return nil }
    return Unicode.Scalar(value)
  }
}

/// The characters between two tags with references resolved, and the offset of each in the file.
package struct XMLText {
  package private(set) var bytes: [UInt8] = []
  /// The offset of the text in the file, also of an empty one.
  package let start: Int
  package var hasFault = false
  /// From these indices on, the bytes correspond to the file's from `source` on.
  private var pieces: [(index: Int, source: Int)] = []

  package init(start: Int) { self.start = start }

  package mutating func append(_ part: ArraySlice<UInt8>) {
    guard !part.isEmpty else { return }
    pieces.append((bytes.count, part.startIndex))
    bytes += part
  }

  package mutating func append(_ scalar: Unicode.Scalar, source: Int) {
    pieces.append((bytes.count, source))
    bytes += Array(String(scalar).utf8)
  }

  package var string: String { String(decoding: bytes, as: UTF8.self) }

  /// The beginning of the trimmed text, quoted for a message.
  package var quoted: String {
    let part = bytes[trimmed].prefix(4 * (Quote.limit + 1))
    return Quote.text(String(decoding: part, as: UTF8.self))
  }

  /// The part without white space at either end.
  package var trimmed: Range<Int> {
    var low = 0
    var high = bytes.count
    while low < high, XMLPropertyListReader.isBlank(bytes[low]) { low += 1 }
    while high > low, XMLPropertyListReader.isBlank(bytes[high - 1]) { high -= 1 }
    return low..<high
  }

  /// The offset in the file of the byte at `index`, or of the text's end.
  package func source(of index: Int) -> Int {
    var low = 0
    var high = pieces.count
    guard high > 0 else { return start }
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if pieces[middle].index <= index { low = middle } else { high = middle }
    }
    return pieces[low].source + (index - pieces[low].index)
  }
}
