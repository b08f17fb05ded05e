import BleperaBluetooth
import FoundationEssentials

extension PropertyListWriter {
  /// - Parameter head: The lines of the comment at the top.
  package func xml(head: [String] = []) -> String {
    let lines =
      ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>"] + Self.block(head) + [
        """
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        """, "<plist version=\"1.0\">",
      ] + xmlLines(at: "") + ["</plist>"]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func block(_ lines: [String]) -> [String] {
    lines.isEmpty ? [] : ["<!--"] + lines.map { $0.isEmpty ? "" : "  \(commented($0))" } + ["-->"]
  }

  private func xmlLines(at indent: String) -> [String] {
    let inner = indent + "  "
    switch self {
    case .string(let text): return ["\(indent)<string>\(Self.escaped(text))</string>"]
    case .data(let bytes): return ["\(indent)<data>\(Data(bytes).base64EncodedString())</data>"]
    case .boolean(let value): return ["\(indent)<\(value)/>"]
    case .integer(let value): return ["\(indent)<integer>\(value)</integer>"]
    case .real(let value): return ["\(indent)<real>\(value)</real>"]
    case .date(let seconds): return ["\(indent)<date>\(PropertyListDate.text(seconds) ?? "")</date>"]
    case .array(let values):
      guard !values.isEmpty else { return ["\(indent)<array/>"] }
      return ["\(indent)<array>"] + values.flatMap { $0.xmlLines(at: inner) } + ["\(indent)</array>"]
    case .dictionary(let entries):
      guard !entries.isEmpty else { return ["\(indent)<dict/>"] }
      var lines = ["\(indent)<dict>"]
      for entry in entries {
        switch entry {
        case .comment(let text): lines += Self.xmlComment(text, at: inner)
        case .value(let key, let value):
          lines += ["\(inner)<key>\(Self.escaped(key))</key>"] + value.xmlLines(at: inner)
        }
      }
      return lines + ["\(indent)</dict>"]
    }
  }

  private static func xmlComment(_ text: String, at indent: String) -> [String] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { commented(String($0)) }
    guard lines.count > 1 else { return ["\(indent)<!-- \(lines.first ?? "") -->"] }
    return ["\(indent)<!--"] + lines.map { $0.isEmpty ? "" : "\(indent)  \($0)" } + ["\(indent)-->"]
  }

  private static func escaped(_ text: String) -> String { Markup.escaped(text, ["\r": "&#13;"]) }

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
