import BleperaBluetooth

/// Reads the text form of property lists, which OpenStep introduced: `{ LocalName = "Lock"; ServiceUUIDs = (180D); }`.
///
/// Scalars are strings and data; the schema decides the type of a string. GNUstep's `<[BlQ=]>` is data, and its
/// `<*I5>`, `<*R1.5>`, `<*BY>` and `<*D2024-02-29 12:00:00 +0000>` are values with a type. After the fault of a single
/// value reading continues; a structural fault ends it.
struct TextPropertyListReader {
  /// Thrown after a structural fault was reported.
  struct Stop: Error {}

  let bytes: [UInt8]
  let lines: LineTable
  var faults: FaultList
  var index = 0
  var comments: [PropertyListComment] = []
  /// The offsets of the open containers.
  var open: [Int] = []

  mutating func read() -> PropertyListNode? {
    do throws(Stop) {
      if let fault = XMLPropertyListReader.encodingFault(of: bytes) {
        throw stop(at: fault.offset, .root, found: fault.found, expected: "UTF-8")
      }
      if bytes.starts(with: XMLPropertyListReader.byteOrderMark) { index = XMLPropertyListReader.byteOrderMark.count }
      try skipBlanks(.root)
      let root = try readValue(.root)
      try skipBlanks(.root)
      guard index == bytes.count else {
        throw stop(
          at: index, .root, found: shown(at: index),
          expected: "nothing after the value of line "
            + "\(lines.position(of: root.offset).line)")
      }
      return root
    } catch {
      return nil
    }
  }

  mutating func report(at offset: Int, _ path: NodePath, found: String, expected: String, fix: String? = nil) {
    faults.error(at: offset, path, found: found, expected: expected, fix: fix)
  }

  mutating func stop(at offset: Int, _ path: NodePath, found: String, expected: String, fix: String? = nil) -> Stop {
    report(at: offset, path, found: found, expected: expected, fix: fix)
    return Stop()
  }

  /// Reads a value; the index is at its first byte.
  mutating func readValue(_ path: NodePath) throws(Stop) -> PropertyListNode {
    let start = index
    switch peek(0) {
    case UInt8(ascii: "{"): return try readDictionary(path)
    case UInt8(ascii: "("): return try readArray(path)
    case UInt8(ascii: "<"): return PropertyListNode(try readAngles(path), at: start, content: start + 1)
    default:
      guard isStringStart else {
        let isBracket = index < bytes.count && bytes[index] == UInt8(ascii: "[")
        throw stop(
          at: index, path, found: shown(at: index), expected: "a value: a string, <data>, (an array) or {a dictionary}",
          fix: isBracket ? "arrays are written in parentheses, as in (180D, 180F)" : nil)
      }
      let isQuoted = Self.quotes.contains(bytes[index])
      let text = try readString(path)
      return PropertyListNode(
        text.map { .string($0) } ?? .faulty, at: start, content: isQuoted ? start + 1 : start, isUntyped: text != nil)
    }
  }

  private mutating func push(_ path: NodePath) throws(Stop) {
    guard open.count < PropertyList.maximumDepth else {
      throw stop(
        at: index, path, found: "nesting deeper than \(PropertyList.maximumDepth) levels",
        expected: "at most \(PropertyList.maximumDepth)")
    }
    open.append(index)
    index += 1
  }

  private mutating func readArray(_ path: NodePath) throws(Stop) -> PropertyListNode {
    let start = index
    try push(path)
    var items: [PropertyListNode] = []
    while true {
      try skipBlanks(path)
      if peek(0) == UInt8(ascii: ")") { break }
      guard index < bytes.count else { throw stopAtEnd(path, ")") }
      items.append(try readValue(path.index(items.count)))
      let end = index
      try skipBlanks(path)
      switch peek(0) {
      case UInt8(ascii: ","): index += 1
      case UInt8(ascii: ")"): continue
      default:
        guard index < bytes.count else { throw stopAtEnd(path, ")") }
        let isOther = peek(0) == UInt8(ascii: ";")
        guard isOther || isValueStart else {
          throw stop(at: index, path, found: shown(at: index), expected: ", or )")
        }
        let isSameLine = lines.position(of: index).line == lines.position(of: end).line
        report(
          at: isSameLine ? index : end, path, found: isSameLine ? shown(at: index) : "the end of the line",
          expected: "a comma between the values of an array",
          fix: isSameLine && !isOther ? "a text with blanks needs quotation marks" : nil)
        if isOther { index += 1 }
      }
    }
    index += 1
    open.removeLast()
    return PropertyListNode(.array(items), at: start, content: start + 1)
  }

  private mutating func readDictionary(_ path: NodePath) throws(Stop) -> PropertyListNode {
    let start = index
    try push(path)
    var dictionary = PropertyListDictionary()
    while true {
      try skipBlanks(path)
      if peek(0) == UInt8(ascii: "}") { break }
      guard index < bytes.count else { throw stopAtEnd(path, "}") }
      guard isStringStart else {
        throw stop(at: index, path, found: shown(at: index), expected: "a key or }")
      }
      try readEntry(into: &dictionary, path)
    }
    index += 1
    open.removeLast()
    return PropertyListNode(.dictionary(dictionary), at: start, content: start + 1)
  }

  private mutating func readEntry(into dictionary: inout PropertyListDictionary, _ path: NodePath) throws(Stop) {
    let isQuoted = Self.quotes.contains(bytes[index])
    let keyOffset = isQuoted ? index + 1 : index
    let key = try readString(path)
    if key == nil { dictionary.isComplete = false }
    let name = Quote.text(key ?? "")
    try skipBlanks(path)
    guard peek(0) == UInt8(ascii: "=") || peek(0) == UInt8(ascii: ";") || peek(0) == UInt8(ascii: "}") else {
      let isJSON = peek(0) == UInt8(ascii: ":")
      throw stop(
        at: index, path, found: shown(at: index), expected: "= after the key \(name)",
        fix: isJSON ? "this looks like JSON; a property list has key = value;" : nil)
    }
    if peek(0) == UInt8(ascii: "=") { index += 1 }
    try skipBlanks(path)
    let inner = key.map { path.key($0) } ?? path
    let node: PropertyListNode
    if peek(0) == UInt8(ascii: ";") || peek(0) == UInt8(ascii: "}") {
      report(at: keyOffset, inner, found: "the key \(name) without a value", expected: "\(name) = a value;")
      node = PropertyListNode(.faulty, at: keyOffset)
    } else {
      node = try readValue(inner)
    }
    if let key {
      if let first = dictionary[key] {
        report(
          at: keyOffset, inner, found: "the key \(Quote.text(key)) a second time",
          expected: "each key once in a dictionary: the first one is in line "
            + "\(lines.position(of: first.keyOffset).line)")
      } else {
        dictionary.insert(key, at: keyOffset, node)
      }
    }
    try readEntryEnd(inner)
  }

  /// Reads the `;` after a value; reports a missing one and continues with the next entry.
  private mutating func readEntryEnd(_ path: NodePath) throws(Stop) {
    let end = index
    try skipBlanks(path)
    if peek(0) == UInt8(ascii: ";") {
      index += 1
      return
    }
    guard index < bytes.count else { throw stopAtEnd(path, "}") }
    guard lines.position(of: index).line == lines.position(of: end).line else {
      return report(at: end, path, found: "the end of the line", expected: "; after the value")
    }
    let isText = isStringStart
    report(
      at: index, path, found: shown(at: index), expected: "; after the value",
      fix: isText ? "a text with blanks needs quotation marks" : nil)
    // The rest of the entry would be reported again as a key.
    let stops = Array(";}\n\r".utf8)
    while peek(0) != UInt8(ascii: "}"), index < bytes.count, !stops.contains(bytes[index]) { index += 1 }
    if peek(0) == UInt8(ascii: ";") { index += 1 }
  }

  private mutating func stopAtEnd(_ path: NodePath, _ close: String) -> Stop {
    let line = open.last.map { lines.position(of: $0).line } ?? 1
    return stop(
      at: bytes.count, path, found: "the end of the file",
      expected: "\(close) for the \(close == "}" ? "{" : "(") of line \(line)")
  }
}
