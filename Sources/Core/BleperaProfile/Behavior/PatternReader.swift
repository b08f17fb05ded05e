import BleperaBluetooth
import BleperaPropertyLists

/// Reads the notation of patterns and templates: bytes as hexadecimal digits or text, and in both `{name}`, `{name:2}`
/// and, at the end of a pattern, `*`.
struct PatternReader {
  enum Item: Hashable {
    case byte(UInt8)
    case any
    case field(String, count: Int?)
    case rest
  }

  /// A fault in the notation.
  struct Fault: Error, Hashable {
    let found: String
    let expected: String

    /// Whether something else than hexadecimal digits was found, such as text.
    var isText: Bool { expected == PatternReader.digits }
  }

  private static let digits = "pairs of hexadecimal digits"

  /// The items of hexadecimal digits, such as `01 .. {filter:2} *`.
  static func hexadecimal(_ text: String) throws(Fault) -> [Item] {
    var items: [Item] = []
    var rest = text.utf8[...]
    while let first = rest.first {
      if first == UInt8(ascii: " ") || (9...13).contains(first) {
        rest.removeFirst()
      } else if first == UInt8(ascii: "*") {
        items.append(.rest)
        rest.removeFirst()
      } else if first == UInt8(ascii: "{") {
        items.append(try field(&rest))
      } else if rest.starts(with: "..".utf8) {
        items.append(.any)
        rest.removeFirst(2)
      } else {
        let pair = rest.prefix(2)
        guard pair.count == 2, let byte = Hex.bytes(String(decoding: pair, as: UTF8.self))?.first else {
          throw Fault(
            found: Quote.text(String(decoding: rest.prefix(8), as: UTF8.self)), expected: digits)
        }
        items.append(.byte(byte))
        rest.removeFirst(2)
      }
    }
    return items
  }

  /// The items of text, such as `led {color}`; a `*` is an item at the end only.
  static func text(_ text: String) throws(Fault) -> [Item] {
    var items: [Item] = []
    var rest = text.utf8[...]
    while let first = rest.first {
      if first == UInt8(ascii: "{") {
        items.append(try field(&rest))
      } else {
        rest.removeFirst()
        items.append(first == UInt8(ascii: "*") && rest.isEmpty ? .rest : .byte(first))
      }
    }
    return items
  }

  /// `{name}` or `{name:2}`, which begins with a brace.
  private static func field(_ rest: inout Substring.UTF8View) throws(Fault) -> Item {
    let expected = "a captured field such as {name} or {name:2}, whose name has letters and digits"
    guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else {
      throw Fault(found: Quote.text(String(decoding: rest.prefix(20), as: UTF8.self)), expected: expected)
    }
    let inner = String(decoding: rest[..<end].dropFirst(), as: UTF8.self)
    rest = rest[end...].dropFirst()
    let halves = inner.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let name = halves.first.map(String.init) ?? ""
    let count = halves.count > 1 ? Int(halves[1]) : nil
    guard !name.isEmpty, name.utf8.allSatisfy(isNamed), halves.count == 1 || count != nil else {
      throw Fault(found: Quote.text("{\(inner)}"), expected: expected)
    }
    guard count.map({ (1...AttributeValue.maximumLength).contains($0) }) ?? true else {
      throw Fault(
        found: Quote.text("{\(inner)}"), expected: "a field of 1 to \(AttributeValue.maximumLength) bytes")
    }
    return .field(name, count: count)
  }

  private static func isNamed(_ character: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(character)
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(character | 0x20)
  }
}

extension PatternReader {
  static func pattern(_ items: [Item]) throws(Fault) -> WritePattern {
    var pattern = WritePattern(bytes: [])
    for item in items {
      guard !pattern.allowsRest else {
        throw Fault(found: "more after the rest of the value", expected: "* or {name} at the end only")
      }
      switch item {
      case .byte(let byte): pattern.bytes.append(byte)
      case .any: pattern.bytes.append(nil)
      case .rest: pattern.allowsRest = true
      case .field(let name, let count):
        guard pattern.fields[name] == nil else {
          throw Fault(found: "the field {\(name)} a second time", expected: "each name once")
        }
        pattern.fields[name] = WritePattern.Field(offset: pattern.bytes.count, count: count)
        if let count { pattern.bytes += Array(repeating: nil, count: count) } else { pattern.allowsRest = true }
      }
      guard pattern.bytes.count <= AttributeValue.maximumLength else {
        throw Fault(
          found: "\(pattern.bytes.count) bytes or more",
          expected: "at most \(AttributeValue.maximumLength), which a value has")
      }
    }
    return pattern
  }

  /// - Parameters:
  ///   - fields: the fields that the row's pattern captures.
  ///   - keys: the keys of the pattern, for a message.
  static func template(
    _ items: [Item], fields: [String: WritePattern.Field], of keys: String = "Write and WriteText"
  ) throws(Fault) -> ValueTemplate {
    var template = ValueTemplate(parts: [])
    var bytes: [UInt8] = []
    var length = 0
    for item in items {
      switch item {
      case .byte(let byte):
        bytes.append(byte)
        length += 1
      case .any, .rest:
        throw Fault(found: "\(item == .any ? ".." : "*") in a value", expected: "bytes and captured fields")
      case .field(let name, let count):
        guard let field = fields[name] else {
          let names = fields.keys.sorted().map { "{\($0)}" }
          throw Fault(
            found: "{\(name)}, which the row does not capture",
            expected: names.isEmpty ? "no field: \(keys) have none" : Quote.list(names))
        }
        guard count == nil else {
          throw Fault(
            found: "a length of the field {\(name)}", expected: "{\(name)}: \(keys) have the length")
        }
        if !bytes.isEmpty { template.parts.append(.bytes(bytes)) }
        bytes = []
        template.parts.append(.field(name))
        length += field.count ?? 0
      }
    }
    if !bytes.isEmpty { template.parts.append(.bytes(bytes)) }
    guard length <= AttributeValue.maximumLength else {
      throw Fault(found: "\(length) bytes", expected: "at most \(AttributeValue.maximumLength)")
    }
    return template
  }
}
