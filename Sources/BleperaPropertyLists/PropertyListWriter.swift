import FoundationEssentials

/// A property list to be written for a reader: with comments and with keys in the given order.
package indirect enum PropertyListWriter {
  case string(String)
  case data([UInt8])
  case boolean(Bool)
  case array([PropertyListWriter])
  case dictionary([Entry])

  package enum Entry {
    case comment(String)
    case value(String, PropertyListWriter)
  }

  package static func strings(_ texts: [String]) -> PropertyListWriter { .array(texts.map { .string($0) }) }

  /// Whether XML can represent each character of the text, which it cannot for most control characters.
  package static func canRepresent(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0.value >= 0x20 && ![0xFFFE, 0xFFFF].contains($0.value) }
  }

  /// The XML document.
  ///
  /// - Parameter head: the lines of the comment at the top.
  package func document(head: [String]) -> String {
    let comment = ["<!--"] + head.map { "  \(Self.commented($0))" } + ["-->"]
    let lines =
      ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>"] + comment + [
        """
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        """, "<plist version=\"1.0\">",
      ] + lines(at: "") + ["</plist>"]
    return lines.joined(separator: "\n") + "\n"
  }

  private func lines(at indent: String) -> [String] {
    switch self {
    case .string(let text): return ["\(indent)<string>\(Self.escaped(text))</string>"]
    case .data(let bytes): return ["\(indent)<data>\(Data(bytes).base64EncodedString())</data>"]
    case .boolean(let value): return ["\(indent)<\(value)/>"]
    case .array(let values):
      return ["\(indent)<array>"] + values.flatMap { $0.lines(at: indent + "  ") } + ["\(indent)</array>"]
    case .dictionary(let entries):
      let inner = indent + "  "
      let lines = entries.flatMap { entry in
        switch entry {
        case .comment(let text): ["\(inner)<!-- \(Self.commented(text)) -->"]
        case .value(let key, let value): ["\(inner)<key>\(Self.escaped(key))</key>"] + value.lines(at: inner)
        }
      }
      return ["\(indent)<dict>"] + lines + ["\(indent)</dict>"]
    }
  }

  private static func escaped(_ text: String) -> String {
    // By scalars: a character can be a markup delimiter with a combining mark.
    text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }

  /// The text without what a comment cannot contain: two hyphens (XML 1.0, 2.5) and characters XML cannot represent.
  private static func commented(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars where canRepresent(String(scalar)) {
      if scalar == "-", result.last == "-" { result.append(" ") }
      result.append(scalar)
    }
    return String(result)
  }
}
