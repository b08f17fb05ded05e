import BleperaBluetooth

/// An error or a warning about a file, with its position.
package struct Diagnostic: Hashable, Codable, Sendable {
  /// Only an error prevents a profile from being served.
  package enum Severity: String, Codable, Sendable, CaseIterable {
    case error
    case warning
  }

  package var severity: Severity
  /// The caller's name for the file.
  package var file: String
  /// Counted from 1; always 1 in a binary property list.
  package var line: Int
  /// Counted from 1 in bytes of UTF-8, as compilers do; in a binary property list the offset in the file plus 1.
  package var column: Int
  /// The position in the property list, such as `BLEPeripheral.Services[0].UUID`; empty for the file itself.
  package var keyPath: String
  package var found: String
  package var expected: String
  /// A probable fix; nil where none is likely.
  package var fix: String?

  /// Creates a diagnostic; control characters in `found`, `expected` and `fix` are escaped.
  package init(
    severity: Severity, file: String, line: Int, column: Int, keyPath: String, found: String, expected: String,
    fix: String? = nil
  ) {
    self.severity = severity
    self.file = file
    self.line = line
    self.column = column
    self.keyPath = keyPath
    // The names that a file gives may have line feeds.
    self.found = Quote.line(found)
    self.expected = Quote.line(expected)
    self.fix = fix.map(Quote.line)
  }
}

extension Diagnostic: CustomStringConvertible {
  /// `heart.plist:12:17: error: BLEPeripheral.Services[0].UUID: found "18XD", expected a UUID ...`.
  package var description: String {
    let place = keyPath.isEmpty ? "" : "\(keyPath): "
    let hint = fix.map { "; \($0)" } ?? ""
    return "\(file):\(line):\(column): \(severity.rawValue): \(place)found \(found), expected \(expected)\(hint)"
  }
}

/// The path from the root of a property list to a value, rendered only for a diagnostic.
package indirect enum NodePath: Sendable {
  case root
  case key(String, in: NodePath)
  case index(Int, in: NodePath)

  package func key(_ name: String) -> NodePath { .key(name, in: self) }
  package func index(_ index: Int) -> NodePath { .index(index, in: self) }
}

extension NodePath: CustomStringConvertible {
  /// `BLEPeripheral.Services[0].UUID`; a key with unusual characters is quoted.
  package var description: String {
    var parts: [String] = []
    var path = self
    while true {
      switch path {
      case .root:
        var text = ""
        for part in parts.reversed() {
          if !text.isEmpty && !part.utf8.starts(with: "[".utf8) { text += "." }
          text += part
        }
        return text
      case .key(let name, let parent):
        parts.append(Self.printed(name))
        path = parent
      case .index(let index, let parent):
        parts.append("[\(index)]")
        path = parent
      }
    }
  }

  private static func printed(_ key: String) -> String {
    let isPlain =
      !key.isEmpty && key.utf8.count <= Quote.limit
      && key.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "[") }
    return isPlain ? key : Quote.text(key)
  }
}

/// Converts byte offsets to lines and columns, both counted from 1, columns in bytes.
package struct LineTable {
  /// The offset of the first byte of each line, in ascending order.
  private let starts: [Int]

  /// Lines end with LF, CR LF or CR. A byte order mark has no column.
  package init(text bytes: [UInt8]) {
    var starts = [bytes.starts(with: XMLPropertyListReader.byteOrderMark) ? 3 : 0]
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if byte == 0x0A || (byte == 0x0D && !(index < bytes.count && bytes[index] == 0x0A)) { starts.append(index) }
    }
    self.starts = starts
  }

  private init(starts: [Int]) { self.starts = starts }

  /// A single line, for binary files.
  package static let binary = LineTable(starts: [0])

  package func position(of offset: Int) -> (line: Int, column: Int) {
    var low = 0
    var high = starts.count
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if starts[middle] <= offset { low = middle } else { high = middle }
    }
    return (low + 1, max(offset - starts[low], 0) + 1)
  }
}
