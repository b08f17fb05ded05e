import BleperaBluetooth

/// Reads an XML property list: every well-formed document of its document type, and nothing else.
///
/// After the fault of a single value reading continues; a structural fault ends it.
struct XMLPropertyListReader {
  static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Thrown after a structural fault was reported.
  struct Stop: Error {}

  let bytes: [UInt8]
  let lines: LineTable
  var faults: FaultList
  var index = 0
  var stack: [XMLFrame] = []
  var comments: [PropertyListComment] = []

  mutating func read() -> PropertyListNode? {
    do throws(Stop) {
      try checkEncoding()
      try readProlog()
      let root = try readContent()
      try readEpilog()
      return root
    } catch {
      return nil
    }
  }

  /// The kind of the innermost open element.
  var kind: XMLFrame.Kind? { stack.last?.kind }

  /// The path of the innermost open value.
  var path: NodePath {
    var path = NodePath.root
    for frame in stack {
      switch frame.kind {
      case .plist, .unknown: continue
      case .dictionary: if let key = frame.key { path = path.key(key.text) }
      case .array: path = path.index(frame.items.count)
      }
    }
    return path
  }

  /// Reports a fault of the innermost open value.
  mutating func report(
    at offset: Int, found: @autoclosure () -> String, expected: @autoclosure () -> String,
    fix: @autoclosure () -> String? = nil
  ) {
    let path = faults.isFull ? NodePath.root : path
    faults.error(at: offset, path, found: found(), expected: expected(), fix: fix())
  }

  mutating func stop(at offset: Int, found: String, expected: String, fix: String? = nil) -> Stop {
    report(at: offset, found: found, expected: expected, fix: fix)
    return Stop()
  }

  /// Reads from the end of `<plist>` to the end of `</plist>`.
  private mutating func readContent() throws(Stop) -> PropertyListNode? {
    while !stack.isEmpty {
      skipBetweenElements()
      guard index < bytes.count else { throw stopAtEnd() }
      if try skipMarkup() { continue }
      switch peek(1) {
      case UInt8(ascii: "/"):
        if let root = try closeElement() { return root }
      case UInt8(ascii: "!") where starts("<![CDATA["):
        let start = index
        _ = try readCharacterData()
        reportText(at: start, text: "<![CDATA[")
      default:
        try openElement()
      }
    }
    return nil
  }

  /// Skips white space, and reports each run of other text between elements once.
  private mutating func skipBetweenElements() {
    while index < bytes.count, Self.isBlank(bytes[index]) { index += 1 }
    let start = index
    while index < bytes.count, bytes[index] != UInt8(ascii: "<") { index += 1 }
    guard index > start, kind != .unknown else { return }
    let shown = bytes[start..<min(index, start + 4 * (Quote.limit + 1))]
    reportText(at: start, text: Self.firstLine(shown))
  }

  private mutating func reportText(at offset: Int, text: String) {
    guard kind != .unknown else { return }
    let expected = kind == .dictionary && stack.last?.key == nil ? "<key> or </dict>" : "a value such as <string>"
    report(at: offset, found: "the text \(Quote.text(text))", expected: expected)
  }

  /// Records that an entry of the innermost dictionary is lost.
  mutating func markIncomplete() {
    guard !stack.isEmpty else { return }
    stack[stack.count - 1].dictionary.isComplete = false
  }

  private mutating func stopAtEnd() -> Stop {
    guard let frame = stack.last else {
      return stop(at: bytes.count, found: "the end of the file", expected: "<plist>")
    }
    return stop(
      at: bytes.count, found: "the end of the file",
      expected: "</\(Self.shortened(frame.name))> for the tag of line \(lines.position(of: frame.offset).line)")
  }

  private mutating func readEpilog() throws(Stop) {
    while true {
      while index < bytes.count, Self.isBlank(bytes[index]) { index += 1 }
      guard index < bytes.count else { return }
      if try skipMarkup() { continue }
      let shown = bytes[index..<min(bytes.count, index + 4 * (Quote.limit + 1))]
      throw stop(at: index, found: Quote.text(Self.firstLine(shown)), expected: "nothing after </plist>")
    }
  }
}

extension XMLPropertyListReader {
  /// White space of XML.
  static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D }

  /// Whether a byte may occur in the name of an element or an attribute.
  static func isName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "-"),
      UInt8(ascii: "."), 0x80...:
      true
    default: false
    }
  }

  static func firstLine(_ bytes: ArraySlice<UInt8>) -> String {
    let line = bytes.prefix { $0 != 0x0A && $0 != 0x0D }
    return String(decoding: line, as: UTF8.self)
  }

  /// A name of limited length for a message.
  static func shortened(_ name: String) -> String {
    name.utf8.count <= Quote.limit ? name : String(decoding: name.utf8.prefix(Quote.limit), as: UTF8.self) + "..."
  }

  /// The byte at `index + distance`; 0 after the end.
  func peek(_ distance: Int) -> UInt8 { index + distance < bytes.count ? bytes[index + distance] : 0 }

  /// Whether the bytes from `index` on begin with `text`.
  func starts(_ text: String) -> Bool { bytes[index...].starts(with: text.utf8) }
}

/// The elements of an XML property list.
package enum XMLElement: String, CaseIterable, Sendable {
  case plist
  case dictionary = "dict"
  case key
  case array
  case string
  case integer
  case real
  case `true`
  case `false`
  case date
  case data

  /// The names of the elements that are values.
  package static let valueNames = allCases.filter { $0 != .plist && $0 != .key }.map(\.rawValue)

  package var tag: String { "<\(rawValue)>" }
}

/// An open element.
struct XMLFrame {
  enum Kind {
    case plist
    case dictionary
    case array
    /// An element that property lists do not have: reported once, then skipped with its contents.
    case unknown
  }

  let kind: Kind
  let name: String
  /// The offset of the `<` of the opening tag.
  let offset: Int
  let contentOffset: Int
  var items: [PropertyListNode] = []
  var dictionary = PropertyListDictionary()
  /// The key whose value is not read yet.
  var key: (text: String, offset: Int, isDropped: Bool)?
}
