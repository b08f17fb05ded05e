import Testing

@testable import BleperaCLI

@Suite struct TerminalTests {
  @Test(
    arguments: [
      (true, [:], true), (false, [:], false),
      (true, ["NO_COLOR": "1"], false), (true, ["NO_COLOR": "0"], false), (true, ["NO_COLOR": ""], true),
      (true, ["TERM": "dumb"], false), (true, ["TERM": "xterm"], true),
      (false, ["CLICOLOR_FORCE": "1"], true), (false, ["CLICOLOR_FORCE": "0"], false),
      (false, ["CLICOLOR_FORCE": ""], false), (true, ["CLICOLOR_FORCE": "0"], true),
      (false, ["CLICOLOR_FORCE": "1", "NO_COLOR": "1"], false), (false, ["CLICOLOR_FORCE": "1", "TERM": "dumb"], true),
    ] as [(Bool, [String: String], Bool)])
  func `colors are for those who see them and want them`(
    isTerminal: Bool, environment: [String: String], hasColor: Bool
  ) {
    let terminal = Terminal(.error, isTerminal: isTerminal) { environment[$0] }
    #expect(terminal.hasColor == hasColor)
    #expect(terminal.styled("a", .red) == (hasColor ? "\u{1B}[31ma\u{1B}[0m" : "a"))
    #expect(terminal.styled("a", .plain) == "a")
  }

  @Test(
    arguments: [
      ("a\tb ü", "a\tb ü"), ("\u{1B}]0;pwn\u{7}", #"\u001b]0;pwn\u0007"#), ("a\nb\rc\r\n", #"a\nb\rc\r\n"#),
      ("\u{0}\u{1F}\u{7F}", #"\u0000\u001f\u007f"#), ("\u{80}\u{9B}2J\u{9F}ß", #"\u0080\u009b2J\u009fß"#),
      ("\u{1B}[31ma\u{1B}[0m", #"\u001b[31ma\u001b[0m"#), ("{\"name\":\"\u{9B}\"}", #"{"name":"\u009b"}"#),
    ])
  func `control characters are escaped`(line: String, escaped: String) {
    #expect(Terminal.plain.escaped(line) == escaped)
    #expect(Terminal.plain.escaped(escaped) == escaped)
  }

  @Test(
    arguments: [
      "\u{1B}[8ma", "\u{1B}[2J", "\u{1B}[31;1m", "\u{1B}[m", "\u{1B}]0;31m", "\u{1B}", "\u{1B}[", "\u{1B}[31",
      "\u{1B}[031m",
    ])
  func `a terminal with color shows its own styles only`(line: String) {
    let styled = Terminal.colored.styled("a", .red) + Terminal.colored.styled("b", .bold)
    #expect(Terminal.colored.escaped(styled + line) == styled + #"\u001b"# + line.dropFirst())
  }

  @Test(
    arguments: [
      (nil, nil, 100), (nil, 132, 132), ("80", nil, 80), ("80", 132, 80), ("", 132, 132), ("0", nil, 100),
      ("wide", 60, 60), ("-1", nil, 100), ("1000000000", nil, 1000),
    ] as [(String?, Int?, Int)])
  func `a line has as many columns as COLUMNS says, or the window, or a hundred`(
    variable: String?, window: Int?, columns: Int
  ) {
    let terminal = Terminal(.output, isTerminal: window != nil, window: window) { $0 == "COLUMNS" ? variable : nil }
    #expect(terminal.columns == columns)
  }
}
