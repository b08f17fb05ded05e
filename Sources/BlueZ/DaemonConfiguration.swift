/// The settings of bluetoothd's main.conf, an INI file.
package struct DaemonConfiguration: Hashable, Sendable {
  private var values: [String: String] = [:]

  /// Lines that are neither a section nor a setting are passed over, as bluetoothd does with comments.
  package init(text: String) {
    var section = ""
    for line in text.split(whereSeparator: \.isNewline) {
      let line = line.trimmed
      if line.hasPrefix("#") || line.isEmpty { continue }
      if line.hasPrefix("["), line.hasSuffix("]") {
        section = String(line.dropFirst().dropLast())
      } else if let equals = line.firstIndex(of: "=") {
        values["\(section).\(line[..<equals].trimmed)"] = String(line[line.index(after: equals)...].trimmed)
      }
    }
  }

  /// The value of a key of a section, nil where bluetoothd takes its default.
  package subscript(section: String, key: String) -> String? { values["\(section).\(key)"] }

  /// Whether a key says no, in the two ways that GKeyFile reads.
  package func isOff(_ section: String, _ key: String) -> Bool { ["false", "0"].contains(self[section, key]) }
}

extension StringProtocol {
  fileprivate var trimmed: SubSequence {
    let start = drop { $0.isWhitespace }
    guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return start.prefix(0) }
    return start[...last]
  }
}
