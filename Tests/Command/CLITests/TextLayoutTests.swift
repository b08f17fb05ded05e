import Testing

@testable import BleperaCLI

@Suite struct TextLayoutTests {
  @Test(
    arguments: [
      ("", 10, [""]), ("one two", 7, ["one two"]), ("one two", 6, ["one", "two"]),
      ("a longword b", 4, ["a", "longword", "b"]), ("\"a  b\" c", 20, ["\"a  b\" c"]),
    ] as [(String, Int, [String])])
  func `text is broken between words`(text: String, width: Int, lines: [String]) {
    #expect(TextLayout.wrapped(text, to: width) == lines)
  }

  @Test(
    arguments: [
      ([], 10, []), (["180D"], 10, ["180D"]), (["180D", "a name"], 12, ["180D, a name"]),
      (["180D", "a name"], 11, ["180D,", "a name"]),
    ] as [([String], Int, [String])])
  func `a list is broken between its items`(items: [String], width: Int, lines: [String]) {
    #expect(TextLayout.list(items, to: width) == lines)
  }

  @Test(arguments: [("", []), ("ab", ["ab"]), ("abcdef", ["abcd", "ef"])] as [(String, [String])])
  func `digits are cut into pieces`(text: String, pieces: [String]) {
    #expect(TextLayout.chunks(text, of: 4) == pieces)
  }

  @Test(arguments: ["180D", "", "\"mm\" 8 m"]) func `colors take no room`(text: String) {
    #expect(TextLayout.width(Terminal.colored.styled(text, .red)) == text.count)
    #expect(TextLayout.padded(Terminal.colored.styled(text, .bold), to: 12).withoutColor.count == 12)
  }

  @Test(arguments: [(10, "a        b"), (4, "a  b"), (2, "a  b")])
  func `two texts stand at the edges, two spaces apart at least`(width: Int, line: String) {
    #expect(TextLayout.spread("a", "b", over: width) == line)
  }

  @Test(arguments: [
    ("", 0), ("read", 4), ("\u{1B}[2mread\u{1B}[0m 6", 6), ("\u{1B}[2m心拍\u{1B}[0m 6", 6), ("Zürich", 6), ("🏃 6", 4),
  ])
  func `a width is that of what is visible`(text: String, width: Int) {
    #expect(TextLayout.width(text) == width)
    #expect(TextLayout.width(text[...]) == width)
  }

  @Test(arguments: [
    ("one two three four five six", "one two three four five six"),
    ("one two three four five six seven", "one two three four five six\n  seven"),
    ("one two  three four five  six  seven eight", "one two  three four five\n  six  seven eight"),
    ("\u{1B}[1mone\u{1B}[0m two three four five six seven", "\u{1B}[1mone\u{1B}[0m two three four five six\n  seven"),
    ("心拍 心拍 心拍 心拍 心拍 心拍 七", "心拍 心拍 心拍 心拍 心拍\n  心拍 七"),
    ("a-word-that-is-wider-than-the-line two", "a-word-that-is-wider-than-the-line\n  two"),
  ])
  func `a line that is too wide is folded between words`(line: String, folded: String) {
    #expect(TextLayout.folded(line, to: 28, indent: 2) == folded)
  }
}
