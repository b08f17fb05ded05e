import BleperaBluetooth

extension PropertyListWriter {
  /// The width of a line, in characters: a value that fits is written on a single line.
  private static let margin = 120

  /// - Parameters:
  ///   - head: The lines of the comment at the top.
  ///   - types: Which scalars can be written as strings; all others are written with their type, as `<*I5>`.
  package func text(head: [String] = [], _ types: ScalarTypes) -> String {
    let lines = TextWriter(types: types).lines(self, before: "", after: "", indent: "")
    return (Self.comment(head, at: "") + lines).joined(separator: "\n") + "\n"
  }

  private static func comment(_ lines: [String], at indent: String) -> [String] {
    lines.map { $0.isEmpty ? "\(indent)//" : "\(indent)// \($0)" }
  }

  private struct TextWriter {
    let types: ScalarTypes

    /// The lines of a value: on one where it fits, otherwise its contents on lines of their own.
    ///
    /// - Parameters:
    ///   - before: The text before the value on its first line.
    ///   - after: The text after the value on its last line.
    func lines(
      _ value: PropertyListWriter, before: String, after: String, indent: String, key: String? = nil,
      isText: Bool = false
    ) -> [String] {
      let room = margin - indent.unicodeScalars.count - before.unicodeScalars.count - after.unicodeScalars.count
      if let line = line(value, within: room, key: key, isText: isText) { return [indent + before + line + after] }
      let inner = indent + "  "
      switch value {
      case .string, .boolean, .integer, .real, .date:
        return [indent + before + scalar(value, key: key, isText: isText) + after]
      case .data(let bytes):
        let width = max((margin - inner.count + 1) / 3, 1)
        let rows = stride(from: 0, to: bytes.count, by: width).map { start in
          inner + Hex.string(bytes[start..<min(start + width, bytes.count)], separator: " ")
        }
        return ["\(indent)\(before)<"] + rows + ["\(indent)>\(after)"]
      case .array(let values):
        if values.count == 1, let only = values.first, only.isContainer {
          return self.lines(only, before: "\(before)(", after: ")\(after)", indent: indent)
        }
        var lines = ["\(indent)\(before)("]
        let elementKey = types[key] == .values ? key : nil
        for (index, value) in values.enumerated() {
          let comma = index == values.count - 1 ? "" : ","
          lines += self.lines(value, before: "", after: comma, indent: inner, key: elementKey, isText: isText)
        }
        return lines + ["\(indent))\(after)"]
      case .dictionary(let entries):
        var lines = ["\(indent)\(before){"]
        let isText = types.hasText(entries)
        // Short entries share a line, except in the root.
        var isOpen = false
        for entry in entries {
          switch entry {
          case .comment(let text): lines += comment(text, at: inner)
          case .value(let key, let value):
            let added = self.lines(
              value, before: "\(Self.quoted(key)) = ", after: ";", indent: inner, key: key, isText: isText)
            let isShort = added.count == 1 && !indent.isEmpty
            if isShort, isOpen, let last = lines.last, let line = added.first?.dropFirst(inner.count),
              last.unicodeScalars.count + 1 + line.unicodeScalars.count <= margin
            {
              lines[lines.count - 1] += " " + line
            } else {
              lines += added
            }
            isOpen = isShort
            continue
          }
          isOpen = false
        }
        return lines + ["\(indent)}\(after)"]
      }
    }

    /// The value on one line of at most `room` characters; nil where it has a comment or needs more.
    private func line(_ value: PropertyListWriter, within room: Int, key: String?, isText: Bool) -> String? {
      guard room > 0 else { return nil }
      var text: String
      switch value {
      case .string, .boolean, .integer, .real, .date: text = scalar(value, key: key, isText: isText)
      case .data(let bytes):
        guard bytes.count * 3 <= room else { return nil }
        text = "<\(Hex.string(bytes, separator: " "))>"
      case .array(let values):
        let elementKey = types[key] == .values ? key : nil
        text = "("
        for (index, value) in values.enumerated() {
          guard
            let element = line(value, within: room - text.unicodeScalars.count, key: elementKey, isText: isText)
          else { return nil }
          text += (index == 0 ? "" : ", ") + element
        }
        text += ")"
      case .dictionary(let entries):
        let isText = types.hasText(entries)
        text = "{"
        for entry in entries {
          guard case .value(let key, let value) = entry,
            let element = line(value, within: room - text.unicodeScalars.count, key: key, isText: isText)
          else { return nil }
          text += " \(Self.quoted(key)) = \(element);"
        }
        text += entries.isEmpty ? "}" : " }"
      }
      return text.unicodeScalars.count <= room ? text : nil
    }

    /// A scalar as a string where its key makes it the same value again, otherwise with its type.
    private func scalar(_ value: PropertyListWriter, key: String?, isText: Bool) -> String {
      let type = types[key]
      let isNumber = type == .number || type == .values && !isText
      switch value {
      case .boolean(let value): return type == .boolean ? (value ? "YES" : "NO") : (value ? "<*BY>" : "<*BN>")
      case .integer(let value):
        return isNumber || type == .integer || type == .integerOrNone || type == .attError
          ? Self.quoted("\(value)") : "<*I\(value)>"
      case .real(let value): return isNumber ? Self.quoted("\(value)") : "<*R\(value)>"
      case .date(let seconds):
        let text = PropertyListDate.text(seconds) ?? ""
        return "<*D\(text.dropLast().replacing("T", with: " ")) +0000>"
      case .string(let text): return Self.quoted(text)
      case .data, .array, .dictionary: return ""
      }
    }

    private func comment(_ text: String, at indent: String) -> [String] {
      PropertyListWriter.comment(
        text.split(separator: "\n", omittingEmptySubsequences: false).map { Self.oneLine(String($0)) }, at: indent)
    }

    /// The text without characters that would end its line or that a file cannot have.
    private static func oneLine(_ text: String) -> String {
      String(String.UnicodeScalarView(text.unicodeScalars.map { $0 == "\n" || $0 == "\r" ? " " : $0 }))
    }

    /// The text as it is where all readers accept that, otherwise in quotation marks.
    private static func quoted(_ text: String) -> String {
      let isPlain = text.utf8.allSatisfy {
        switch $0 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"):
          true
        default: false
        }
      }
      if isPlain, !text.isEmpty { return text }
      return text.unicodeScalars.reduce(into: "\"") { result, scalar in
        switch scalar {
        case "\"": result += "\\\""
        case "\\": result += "\\\\"
        case "\n": result += "\\n"
        case "\r": result += "\\r"
        case "\t": result += "\\t"
        case "\u{0}"..<" ", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
          let digits = String(scalar.value, radix: 16, uppercase: true)
          result += "\\U" + String(repeating: "0", count: 4 - digits.count) + digits
        default: result.unicodeScalars.append(scalar)
        }
      } + "\""
    }
  }
}
