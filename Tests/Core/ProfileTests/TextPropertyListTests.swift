import BleperaBluetooth
import BleperaProfile
import BleperaPropertyLists
import TestSupport
import Testing

@Suite struct TextPropertyListTests {
  @Test(
    arguments: [
      ("{}", "{}"), ("()", "[]"), ("{ A = b; }", #"{A: "b"}"#), ("( a, b, )", #"["a", "b"]"#),
      (" \n{\"A b\" = 'c\"d'; }\n", #"{A b: "c"d"}"#),
      ("(180D, a.b-c_d, http://x/$y)", #"["180D", "a.b-c_d", "http://x/$y"]"#),
      (#"("a\nb", "\"\\\'\t", "\101\60", "\U00E9", "\UD83D\UDE00")"#, "[\"a\nb\", \"\"\\'\t\", \"A0\", \"é\", \"😀\"]"),
      ("(\"a\\\nb\", \"c\r\nd\")", "[\"a\nb\", \"c\nd\"]"),
      ("(<>, <06 54>, <0a\n0B>, <0 1>)", "[data , data 0654, data 0A0B, data 01]"),
      ("(<[BlQ=]>, <[]>, <[\nBlQB\nAgMEBQ== ]>)", "[data 0654, data , data 06540102030405]"),
      ("// one\n{ /* two */ A = /**/ b /* ; */; // three\n}", #"{A: "b"}"#), ("(a/* c */, b//c\n)", #"["a", "b//c"]"#),
      ("(<*I-5>, <*I0x10>, <*R1.5>, <*BY>, <*BN>)", "[-5, 16, real 1.5, true, false]"),
      ("(<*D2001-01-01 00:01:00 +0000>)", "[date 60.0]"), ("\u{FEFF}{}", "{}"), ("\"a\"", "\"a\""), ("<06>", "data 06"),
    ])
  func `each notation is read`(text: String, expected: String) throws {
    var faults = FaultList()
    let document = PropertyList.read(Array(text.utf8), faults: &faults)
    #expect(faults.diagnostics(file: "f", lines: document.lines).map(\.description) == [])
    #expect(document.form == .text)
    #expect(document.root?.value.text == expected)
  }

  static let faults: [(text: String, expected: [String])] = [
    ("{ A ⟦: 1 }", ["found \":\", expected = after the key \"A\"; this looks like JSON"]),
    ("{ A = ⟦[1]; }", ["A: found \"[\", expected a value: a string, <data>, (an array)"]),
    ("{ A = b⟦\n C = d; }", ["A: found the end of the line, expected ; after the value"]),
    ("{ A = b⟦, C = d; }", ["A: found \",\", expected ; after the value"]),
    ("{ A = Smart ⟦Lock; C = d; }", ["found \"Lock\", expected ; after the value; a text with blanks needs quotation"]),
    (
      "{ ⟦A; ⟦C = ; }",
      ["A: found the key \"A\" without a value, expected \"A\" = a value;", "C: found the key \"C\" without"]
    ),
    ("{ A = b; ⟦A = c; }", ["A: found the key \"A\" a second time, expected each key once in a dictionary: the first"]),
    ("(a ⟦b)", ["found \"b\", expected a comma between the values"]),
    ("(a⟦\n b)", ["found the end of the line, expected a comma between the values"]), ("(a⟦; b)", ["found \";\""]),
    ("(a, ⟦, b)", ["[1]: found \",\", expected a value"]), ("{ ⟦= b; }", ["found \"=\", expected a key or }"]),
    ("{ A = (b⟦; ⟦} ", ["a comma between", "found \"}\", expected a value"]),
    ("{ A = b;\n⟦", ["found the end of the file, expected } for the { of line 1"]),
    ("(a⟦", ["found the end of the file, expected ) for the ( of line 1"]),
    ("{ A = ⟦\"b; }", ["a string that does not end"]),
    ("{ A = \"⟦\\x\"; }", ["A: found \"\\\\x\", expected one of \\n"]),
    ("(\"⟦\\300\")", ["an octal number up to \\177"]),
    ("(\"⟦\\U12\")", ["[0]: found \"\\\\U\", expected \\U and four"]), ("(\"⟦\\UD800\")", ["surrogate pair"]),
    ("(\"a⟦\u{1}\")", ["the control character U+0001, expected text; write \\U0001 for it"]),
    ("(<0⟦g>)", ["[0]: found \"g\" in data, expected hexadecimal digits"]),
    ("(<06 5⟦>)", ["data that ends within a byte"]),
    ("(⟦<06", ["data that does not end"]), ("(⟦<[BlQ=]", ["data that does not end"]),
    ("(<[BlQ=⟦>, <[⟦>)", ["found Base64 that does not end, expected ]>, as in <[BlQ=]>", "[1]: found Base64"]),
    ("(<[Bl⟦*=]>, <[Bl⟦Q]>)", ["found \"*\" in Base64", "Base64 that ends within a group of four"]),
    ("(⟦<*Q1>, ⟦<*I>, ⟦<*D2024-13-01 00:00:00 +0000>)", ["<*Q1>", "<*I>", "<*D2024"]),
    ("{} ⟦x", ["found \"x\", expected nothing after the value of line 1"]),
    ("{ ⟦/* a", ["a comment that does not end"]),
    ("⟦", ["found an empty file"]), ("// only⟦", ["found the end of the file, expected a value"]),
  ]

  @Test(arguments: faults)
  func `a fault is reported at its place`(text: String, expected: [String]) {
    let marked = Marked(text)
    var faults = FaultList()
    let document = PropertyList.read(marked.bytes, faults: &faults)
    let diagnostics = faults.diagnostics(file: "f", lines: document.lines)
    #expect(diagnostics.map { "\($0.line):\($0.column)" } == marked.places, "\(diagnostics)")
    #expect(diagnostics.count == expected.count)
    for (diagnostic, text) in zip(diagnostics, expected) { #expect(diagnostic.description.contains(text)) }
  }

  @Test func `nesting is as deep as in XML, and no deeper`() {
    for (depth, isRead) in [
      (PropertyList.maximumDepth, true), (PropertyList.maximumDepth + 1, false), (100_000, false),
    ] {
      let text = String(repeating: "(", count: depth) + String(repeating: ")", count: depth)
      var faults = FaultList()
      #expect((PropertyList.read(Array(text.utf8), faults: &faults).root != nil) == isRead)
    }
  }

  private static func behavior(_ content: String) -> String {
    """
    { BLEPeripheral = { Services = ({ UUID = FE00; Primary = NO; Characteristics = ({
    UUID = FE01; Properties = (read, notify); Permissions = (readable); AnswerDelay = 0.5;
    Behavior = {
    \(content) }; }); }); Rules = { SuspendedError = 5; DisablesCachedValues = true; }; }; }
    """
  }

  @Test(
    arguments: [
      ("Kind = counter; Format = uint8; Start = 3; Step = 0x10;", []),
      (
        "Kind = counter; Format = uint8; Start = ⟦abc;",
        ["Start: found the string \"abc\", expected an integer or a real"]
      ),
      ("Kind = counter; Format = uint8; Start = ⟦300;", ["Start: found 300, expected 0 to 255, the range of uint8"]),
      ("Kind = sequence; Format = sint16; Values = (1, -2, \"3\", ⟦four);", ["Values[3]: found the string \"four\""]),
      ("Kind = sequence; Format = utf8; Values = (1, text);", []),
      (
        "Kind = sequence; Format = hex; Values = (01, <02>, 0x0304, ⟦x);", ["Values[3]: found \"x\", expected data, or"]
      ),
      ("Kind = counter; Format = ⟦int16;", ["found \"int16\", expected uint8", "did you mean 'sint16'?"].suffix(1)),
    ] as [(String, ArraySlice<String>)])
  func `a string is what its key asks for`(content: String, expected: ArraySlice<String>) {
    expectDiagnostics(Array(expected), in: Self.behavior(content))
  }

  @Test func `a boolean that is none is told of in the words of the form`() {
    expectDiagnostics(
      ["Primary: found the string \"perhaps\", expected YES or NO"],
      in: "{ BLEPeripheral = { Services = ({ UUID = FE00; Primary = ⟦perhaps; }); }; }")
  }

  @Test func `scalars have their values`() throws {
    let profile = try expectProfile(Self.behavior("Kind = sequence; Format = sint16; Values = (1, 0x02, \"-3\");"))
    #expect(profile.services.map(\.isPrimary) == [false])
    #expect(profile.rules.suspendedError?.rawValue == 5 && profile.rules.disablesCachedValues == true)
    let characteristic = try #require(profile.services.first?.characteristics.first)
    #expect(characteristic.answerDelay == .milliseconds(500))
    guard case .generator(let generator)? = characteristic.behavior else {
      Issue.record("no generator")
      return
    }
    #expect(generator.shape == .sequence([[1, 0], [2, 0], [0xFD, 0xFF]]))
  }
}
