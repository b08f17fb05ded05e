/// A fault of a profile, or a remark on it, with its place in the file.
public struct Diagnostic: Hashable, Codable, Sendable {
  /// How much it matters: only an error keeps a profile from being served.
  public enum Severity: String, Codable, Sendable, CaseIterable {
    case error
    case warning
  }

  public var severity: Severity
  /// The name that the caller gave the file.
  public var file: String
  /// Counted from 1; always 1 in a binary property list.
  public var line: Int
  /// Counted from 1 in bytes of UTF-8, as compilers do; in a binary property list the offset in the file plus 1.
  public var column: Int
  /// Where in the property list, such as `BLEPeripheral.Services[0].UUID`; empty for the file itself.
  public var keyPath: String
  public var found: String
  public var expected: String
  /// What would mend it, where there is a good guess.
  public var fix: String?

  public init(
    severity: Severity, file: String, line: Int, column: Int, keyPath: String, found: String, expected: String,
    fix: String? = nil
  ) {
    self.severity = severity
    self.file = file
    self.line = line
    self.column = column
    self.keyPath = keyPath
    self.found = found
    self.expected = expected
    self.fix = fix
  }
}

extension Diagnostic: CustomStringConvertible {
  /// `heart.plist:12:17: error: BLEPeripheral.Services[0].UUID: found "18XD", expected a UUID ...`.
  public var description: String {
    let place = keyPath.isEmpty ? "" : "\(keyPath): "
    let hint = fix.map { "; \($0)" } ?? ""
    return "\(file):\(line):\(column): \(severity.rawValue): \(place)found \(found), expected \(expected)\(hint)"
  }
}
