/// A property list to be written for a reader: with comments and with keys in the given order.
package indirect enum PropertyListWriter: Equatable {
  case string(String)
  case data([UInt8])
  case boolean(Bool)
  case integer(Int128)
  case real(Double)
  /// Seconds since 2001-01-01T00:00:00Z.
  case date(Double)
  case array([PropertyListWriter])
  case dictionary([Entry])

  package enum Entry: Equatable {
    /// Lines separated by line feeds.
    case comment(String)
    case value(String, PropertyListWriter)
  }

  package static func strings(_ texts: [String]) -> PropertyListWriter { .array(texts.map { .string($0) }) }

  /// Whether XML can represent each character of the text on one line, which it cannot for most control characters.
  package static func canRepresent(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0.value >= 0x20 && ![0xFFFE, 0xFFFF].contains($0.value) }
  }

  var isContainer: Bool {
    switch self {
    case .array, .dictionary: true
    case .string, .data, .boolean, .integer, .real, .date: false
    }
  }

  /// The values with their paths, in order; dictionaries and arrays before their contents.
  private func forEach(_ path: NodePath = .root, _ body: (PropertyListWriter, NodePath) -> Void) {
    body(self, path)
    switch self {
    case .dictionary(let entries):
      for case .value(let key, let value) in entries { value.forEach(path.key(key), body) }
    case .array(let values):
      for (index, value) in values.enumerated() { value.forEach(path.index(index), body) }
    case .string, .data, .boolean, .integer, .real, .date: break
    }
  }

  /// The forms that can be written.
  package enum Form: String, CaseIterable, Sendable {
    case xml
    case text
  }

  /// The reasons why the form cannot represent values, each with the path of the value.
  package func unrepresentable(in form: Form) -> [String] {
    var reasons: [String] = []
    func check(_ text: String, _ path: NodePath) {
      guard form == .xml,
        let scalar = text.unicodeScalars.first(where: {
          $0.value < 0x20 && ![0x09, 0x0A, 0x0D].contains($0.value) || [0xFFFE, 0xFFFF].contains($0.value)
        })
      else { return }
      let digits = String(scalar.value, radix: 16, uppercase: true)
      reasons.append(
        "\(path): XML has no character U+\(String(repeating: "0", count: max(4 - digits.count, 0)))\(digits)")
    }
    forEach { value, path in
      switch value {
      case .string(let text): check(text, path)
      case .date(let seconds):
        if PropertyListDate.text(seconds) == nil {
          let name = form == .xml ? "XML" : "the text form"
          reasons.append("\(path): \(name) has dates of whole seconds from the year 1 to 9999")
        }
      case .dictionary(let entries): for case .value(let key, _) in entries { check(key, path.key(key)) }
      case .data, .boolean, .integer, .real, .array: break
      }
    }
    return reasons
  }
}

/// The conversion of a document.
extension PropertyListWriter {
  /// The values of a document without its comments; nil where a value has a fault. Strings of the text form get the
  /// types that `types` has for their keys.
  package init?(_ node: PropertyListNode, _ types: ScalarTypes, key: String? = nil, isText: Bool = false) {
    let node = types[key].map { isText && $0 == .values ? node : node.read(as: $0 == .values ? .number : $0) } ?? node
    switch node.value {
    case .string(let text): self = .string(text)
    case .integer(let value): self = .integer(value)
    case .real(let value): self = .real(value)
    case .boolean(let value): self = .boolean(value)
    case .date(let seconds): self = .date(seconds)
    case .data(let bytes): self = .data(bytes)
    case .faulty: return nil
    case .array(let nodes):
      let key = types[key] == .values ? key : nil
      let values = nodes.compactMap { PropertyListWriter($0, types, key: key, isText: isText) }
      guard values.count == nodes.count else { return nil }
      self = .array(values)
    case .dictionary(let dictionary):
      let isText = types.hasText(dictionary)
      let entries = dictionary.entries.compactMap { entry in
        PropertyListWriter(entry.node, types, key: entry.key, isText: isText).map { Entry.value(entry.key, $0) }
      }
      guard entries.count == dictionary.entries.count else { return nil }
      self = .dictionary(entries)
    }
  }
}
