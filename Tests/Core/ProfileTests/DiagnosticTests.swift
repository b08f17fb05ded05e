import BleperaBluetooth
import BleperaProfile
import BleperaPropertyLists
import Testing

@Suite struct DiagnosticTests {
  @Test("A diagnostic reads as a compiler's does")
  func description() {
    var diagnostic = Diagnostic(
      severity: .error, file: "heart.plist", line: 12, column: 17, keyPath: "BLEPeripheral.Services[0].UUID",
      found: "\"18XD\"", expected: "a UUID such as 180D")
    #expect(
      diagnostic.description
        == "heart.plist:12:17: error: BLEPeripheral.Services[0].UUID: found \"18XD\", expected a UUID such as 180D")
    diagnostic.severity = .warning
    diagnostic.keyPath = ""
    diagnostic.fix = "did you mean '180D'?"
    #expect(
      diagnostic.description
        == "heart.plist:12:17: warning: found \"18XD\", expected a UUID such as 180D; did you mean '180D'?")
  }

  @Test("Diagnostics come in the order of their places, all of them")
  func order() {
    expectDiagnostics(
      [
        "\"18XD\", expected a UUID such as 180D", "\"&x;\"", "Value: found \"!\" in Base64",
        "the unknown key \"Extra\"",
      ],
      in: Document.services(
        Document.service(
          "⟦18XD",
          """
          <key>Characteristics</key><array><dict><key>UUID</key><string>⟦&x;</string>
          <key>Properties</key><array><string>read</string></array>
          <key>Permissions</key><array><string>readable</string></array>
          <key>Value</key><data>⟦!</data></dict></array>
          <key>⟦Extra</key><true/>
          """)))
  }

  static let paths: [(path: NodePath, text: String)] = [
    (.root, ""), (NodePath.root.key("a").key("b"), "a.b"), (NodePath.root.index(0).index(1), "[0][1]"),
    (NodePath.root.key("a").index(2).key("b"), "a[2].b"), (NodePath.root.key("a.b").key("c"), "\"a.b\".c"),
    (NodePath.root.key("").key("[x]"), "\"\".\"[x]\""),
    (NodePath.root.key(String(repeating: "x", count: 60)), "\"" + String(repeating: "x", count: 48) + "...\""),
  ]

  @Test("Paths are printed as they are written", arguments: paths)
  func path(path: NodePath, text: String) { #expect(path.description == text) }

  static let quotes: [(text: String, quoted: String)] = [
    ("a", "\"a\""), ("\"\\", "\"\\\"\\\\\""), ("a\nb\r\tc", "\"a\\nb\\r\\tc\""), ("\u{1B}[31m", "\"\\u{1B}[31m\""),
    ("\u{202E}x", "\"\\u{202E}x\""), ("größer 😀", "\"größer 😀\""),
    (String(repeating: "ä", count: 49), "\"" + String(repeating: "ä", count: 48) + "...\""),
  ]

  @Test("Text of a file can do nothing to a terminal", arguments: quotes)
  func quote(text: String, quoted: String) { #expect(Quote.text(text) == quoted) }

  @Test("What others have named cannot move the terminal's cursor, and is whole")
  func line() {
    #expect(Quote.line("a\u{1B}[2Jb\u{7}\u{202E}\n") == #"a\u{1B}[2Jb\u{7}\u{202E}\n"#)
    let long = String(repeating: "é\"\\", count: 40)
    #expect(Quote.line(long) == long)
  }

  @Test("A diagnostic is one line, whatever names it repeats")
  func oneLine() {
    let diagnostic = Diagnostic(
      severity: .error, file: "a.plist", line: 1, column: 2, keyPath: "Phone", found: "\"b\"",
      expected: "a phone: c\nd", fix: "did you mean 'c\nd'?")
    #expect(
      diagnostic.description
        == #"a.plist:1:2: error: Phone: found "b", expected a phone: c\nd; did you mean 'c\nd'?"#)
  }

  static let names = ["UUID", "Properties", "Permissions", "Value", "Behavior", "Descriptors"]
  static let nearest: [(text: String, name: String?)] = [
    ("Propertys", "Properties"), ("properties", "Properties"), ("PROPERTIES", "Properties"), ("Uuid", "UUID"),
    ("UIUD", "UUID"), ("Behaviour", "Behavior"), ("Values", "Value"), ("Permision", "Permissions"), ("Name", nil),
    ("", nil), ("X", nil), ("Description", "Descriptors"), (String(repeating: "Value", count: 20), nil),
  ]

  @Test("The nearest name is the one that was meant", arguments: nearest)
  func nearestName(text: String, name: String?) { #expect(NearestName.find(text, in: Self.names) == name) }

  static let lines: [(text: String, offset: Int, line: Int, column: Int)] = [
    ("ab\ncd", 0, 1, 1), ("ab\ncd", 2, 1, 3), ("ab\ncd", 3, 2, 1), ("ab\ncd", 5, 2, 3), ("a\r\nb", 3, 2, 1),
    ("a\rb", 2, 2, 1), ("a\r\rb\n", 3, 3, 1), ("\n\n", 2, 3, 1), ("", 0, 1, 1), ("\u{FEFF}ab", 3, 1, 1),
    ("ä b", 3, 1, 4),
  ]

  @Test("Lines and columns are those that editors and compilers count", arguments: lines)
  func line(text: String, offset: Int, line: Int, column: Int) {
    let position = LineTable(text: Array(text.utf8)).position(of: offset)
    #expect(position.line == line)
    #expect(position.column == column)
  }
}
