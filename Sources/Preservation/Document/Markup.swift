/// What a document is held against before it is parsed: the parser traps on bytes that are not UTF-8 within a number,
/// and on nesting that is deeper than its stack.
enum Markup {
  /// The state needs fewer than ten.
  private static let maximumDepth = 32
  private static let start = Array("<plist version=\"1.0\">".utf8)
  private static let longestTag = "</integer>".utf8.count

  /// Takes UTF-8 with the tags that a property list is written with, and nothing else between `<` and `>`.
  static func check(_ document: ArraySlice<UInt8>) throws(Damage) {
    guard String(validating: document, as: UTF8.self) != nil else { throw .notPropertyList }
    guard let root = document.firstRange(of: start) else { throw .notPropertyList }
    var rest = document[root.upperBound...]
    var depth = 0
    while true {
      guard let open = rest.firstIndex(of: UInt8(ascii: "<")) else { throw .notPropertyList }
      rest = rest[open...]
      guard let close = rest.prefix(longestTag).firstIndex(of: UInt8(ascii: ">")) else { throw .notPropertyList }
      let tag = String(decoding: rest[...close], as: UTF8.self)
      rest = rest[(close + 1)...]
      if tag == "</plist>" { break }
      guard let change = nesting(tag) else { throw .notPropertyList }
      depth += change
      guard depth <= maximumDepth else { throw .notPropertyList }
    }
    guard rest.elementsEqual("\n".utf8) else { throw .notPropertyList }
  }

  /// By how much a tag changes the depth; nil where blepera writes none such.
  private static func nesting(_ tag: String) -> Int? {
    switch tag {
    case "<dict>", "<array>": 1
    case "</dict>", "</array>": -1
    case "<key>", "</key>", "<string>", "</string>", "<integer>", "</integer>", "<real>", "</real>", "<date>",
      "</date>", "<data>", "</data>", "<true/>", "<false/>", "<dict/>", "<array/>":
      0
    default: nil
    }
  }
}
