import BleperaBluetooth

/// Reads tags, and opens and closes elements.
extension XMLPropertyListReader {
  /// Reads `<name attribute="value">` or `<name/>`; the index is at the `<`.
  mutating func readTag() throws(Stop) -> (name: String, isEmpty: Bool) {
    let start = index
    index += 1
    let name = try readName(of: start)
    while true {
      while index < bytes.count, Self.isBlank(bytes[index]) { index += 1 }
      guard index < bytes.count else {
        throw stop(at: start, found: "<\(Self.shortened(name)) that does not end", expected: ">")
      }
      switch bytes[index] {
      case UInt8(ascii: ">"):
        index += 1
        return (name, false)
      case UInt8(ascii: "/"):
        guard index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: ">") else {
          throw stop(at: index, found: "a / within <\(Self.shortened(name))>", expected: "/>")
        }
        index += 2
        return (name, true)
      case let byte where Self.isName(byte):
        let offset = index
        let attribute = try readAttribute()
        checkAttribute(attribute, at: offset, of: name)
      default:
        throw stop(
          at: index, found: Quote.text(Self.firstLine(bytes[index..<min(bytes.count, index + 8)])),
          expected: "> to end <\(Self.shortened(name))")
      }
    }
  }

  private mutating func readName(of start: Int) throws(Stop) -> String {
    let first = index
    while index < bytes.count, Self.isName(bytes[index]) { index += 1 }
    guard index > first else {
      throw stop(
        at: start, found: "a < that does not begin a tag",
        expected: "the name of an element, or &lt; for the character itself"
      )
    }
    return String(decoding: bytes[first..<index], as: UTF8.self)
  }

  /// Reads `name="value"`; the index is at the name. `offset` is the offset of the value.
  mutating func readAttribute() throws(Stop) -> (name: String, value: String, offset: Int) {
    let start = index
    while index < bytes.count, Self.isName(bytes[index]) { index += 1 }
    let name = String(decoding: bytes[start..<index], as: UTF8.self)
    while index < bytes.count, Self.isBlank(bytes[index]) { index += 1 }
    guard index < bytes.count, bytes[index] == UInt8(ascii: "=") else {
      throw stop(at: start, found: "the attribute \(Quote.text(name)) without a value", expected: "=")
    }
    index += 1
    while index < bytes.count, Self.isBlank(bytes[index]) { index += 1 }
    guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "'") else {
      throw stop(at: index, found: "an attribute's value without quotation marks", expected: "\"")
    }
    let quote = bytes[index]
    index += 1
    let first = index
    while index < bytes.count, bytes[index] != quote, bytes[index] != UInt8(ascii: "<") { index += 1 }
    guard index < bytes.count, bytes[index] == quote else {
      throw stop(at: first - 1, found: "an attribute's value that does not end", expected: quote == 0x22 ? "\"" : "'")
    }
    index += 1
    return (name, String(decoding: bytes[first..<(index - 1)], as: UTF8.self), first)
  }

  private mutating func checkAttribute(
    _ attribute: (name: String, value: String, offset: Int), at offset: Int, of element: String
  ) {
    guard kind != .unknown else { return }
    if element == XMLElement.plist.rawValue {
      guard attribute.name == "version", attribute.value != "1.0" else { return }
      report(at: attribute.offset, found: "version \(Quote.text(attribute.value))", expected: "version \"1.0\"")
    } else {
      report(
        at: offset, found: "the attribute \(Quote.text(attribute.name))",
        expected: "<\(Self.shortened(element))> without attributes")
    }
  }

  /// Reads an opening tag and, for a scalar, the whole element.
  mutating func openElement() throws(Stop) {
    let start = index
    guard peek(1) != UInt8(ascii: "!") else {
      throw stop(at: start, found: "a declaration", expected: "an element such as <dict>")
    }
    let tag = try readTag()
    if kind == .unknown {
      if !tag.isEmpty { try push(.unknown, name: tag.name, at: start) }
      return
    }
    guard let element = XMLElement(rawValue: tag.name) else {
      let fix = faults.nearest(to: tag.name, in: XMLElement.valueNames + ["key"]).map { "did you mean <\($0)>?" }
      report(
        at: start, found: "<\(Self.shortened(tag.name))>",
        expected: "one of <key>, " + XMLElement.valueNames.map { "<\($0)>" }.joined(separator: ", "), fix: fix)
      finish(.faulty, at: start, content: start, isReported: true)
      if !tag.isEmpty { try push(.unknown, name: tag.name, at: start) }
      return
    }
    switch element {
    case .plist:
      throw stop(at: start, found: "<plist> within <plist>", expected: "a value such as <dict>")
    case .dictionary, .array:
      try push(element == .array ? .array : .dictionary, name: tag.name, at: start)
      if tag.isEmpty { _ = pop() }
    case .key:
      let text = try tag.isEmpty ? XMLText(start: index) : readText(of: tag.name, from: start)
      takeKey(text, at: start)
    case .string, .integer, .real, .true, .false, .date, .data:
      let text = try tag.isEmpty ? XMLText(start: index) : readText(of: tag.name, from: start)
      let value = text.hasFault ? .faulty : scalar(element, text)
      finish(value, at: start, content: text.source(of: 0))
    }
  }

  private mutating func push(_ kind: XMLFrame.Kind, name: String, at offset: Int) throws(Stop) {
    guard stack.count <= PropertyList.maximumDepth else {
      throw stop(
        at: offset, found: "nesting deeper than \(PropertyList.maximumDepth) levels",
        expected: "at most \(PropertyList.maximumDepth)")
    }
    stack.append(XMLFrame(kind: kind, name: name, offset: offset, contentOffset: index))
  }

  /// Reads a closing tag; returns the root where it closes `<plist>`.
  mutating func closeElement() throws(Stop) -> PropertyListNode? {
    let start = index
    index += 2
    let name = try readName(of: start)
    guard let frame = stack.last, frame.name == name else {
      let open = stack.last
      throw stop(
        at: start, found: "</\(Self.shortened(name))>",
        expected: "</\(Self.shortened(open?.name ?? "plist"))>"
          + (open.map { " for the tag of line \(lines.position(of: $0.offset).line)" } ?? ""))
    }
    while index < bytes.count, Self.isBlank(bytes[index]) { index += 1 }
    guard index < bytes.count, bytes[index] == UInt8(ascii: ">") else {
      throw stop(at: start, found: "</\(Self.shortened(name)) that does not end", expected: ">")
    }
    index += 1
    return pop()
  }
}
