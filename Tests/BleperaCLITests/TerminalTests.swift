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
  func `colours are for those who see them and want them`(
    isTerminal: Bool, environment: [String: String], hasColour: Bool
  ) {
    let terminal = Terminal(.error, isTerminal: isTerminal) { environment[$0] }
    #expect(terminal.hasColour == hasColour)
    #expect(terminal.styled("a", .red) == (hasColour ? "\u{1B}[31ma\u{1B}[0m" : "a"))
    #expect(terminal.styled("a", .plain) == "a")
  }
}
