import BleperaBluetooth
import BleperaPropertyLists
import Testing

@testable import BleperaProfile

/// Tables of responses; each marker is where a diagnostic must point.
@Suite struct ResponseRulesTests {
  /// `Write=01|When=[a b]` as keys and values; a marker at the beginning of a key or of a value stays there.
  static func keys(_ text: String) -> String {
    text.split(separator: "|").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let (key, value) = (parts[0], parts.count > 1 ? parts[1] : "")
      let start = key.hasPrefix("⟦") ? "⟦" : ""
      return "<key>\(start)\(key.drop { $0 == "⟦" })</key>\(element(value))"
    }.joined(separator: "\n")
  }

  private static func element(_ value: String) -> String {
    if value == "true" { return "<true/>" }
    if Int(value.drop { $0 == "⟦" }) != nil, !value.contains("0x"),
      value.drop(while: { $0 == "⟦" }).first != "0" || value == "0"
    {
      return "<integer>\(value)</integer>"
    }
    if value.hasPrefix("[") || value.hasPrefix("⟦[") {
      let inner = value.drop { $0 == "⟦" }.dropFirst().dropLast()
      let start = value.hasPrefix("⟦") ? "⟦" : ""
      return start + "<array>" + inner.split(separator: " ").map { "<string>\($0)</string>" }.joined() + "</array>"
    }
    return "<string>\(value)</string>"
  }

  static func response(_ keys: String, then steps: String...) -> String {
    let then = steps.isEmpty ? "" : "<key>Then</key><array>\(steps.map(dictionary).joined(separator: "\n"))</array>"
    return dictionary(keys, then)
  }

  private static func dictionary(_ keys: String) -> String { dictionary(keys, "") }

  /// A marker before everything else points to the dictionary.
  private static func dictionary(_ keys: String, _ more: String) -> String {
    let isMarked = keys.hasPrefix("⟦⟦")
    return (isMarked ? "⟦" : "") + "<dict>\(Self.keys(isMarked ? String(keys.dropFirst(2)) : keys))\n\(more)</dict>"
  }

  /// A service with states whose FE01 has these responses, beside FE02, which notifies, FE03, which is cached, FE04, a
  /// generator, and FE05, which can only be written.
  static func document(_ responses: [String], states: String = "a b", more: String = "") -> String {
    let table = """
      <key>Behavior</key><dict><key>Kind</key><string>responses</string>
      <key>Responses</key><array>\(responses.joined(separator: "\n"))</array>\(more)</dict>
      """
    let counter = "<key>Behavior</key><dict>\(BehaviorRulesTests.keys("Kind=counter Format=uint8"))</dict>"
    let echo = "<key>Behavior</key><dict>\(BehaviorRulesTests.keys("Kind=echo Source=FE05"))</dict>"
    let names = states.split(separator: " ").map { name in
      name.hasPrefix("⟦") ? "<string>\(name)</string>" : "<string>\(name)</string>"
    }
    return Document.services(
      Document.service(
        "FE00",
        (names.isEmpty ? "" : "<key>States</key><array>\(names.joined())</array>\n")
          + "<key>Characteristics</key><array>\n"
          + Document.characteristic("FE01", "read write", "readable writeable", table)
          + Document.characteristic("FE02", "notify", "readable", echo)
          + Document.characteristic("FE03", "read", "readable", "<key>Value</key><data>AA==</data>")
          + Document.characteristic("FE04", "read notify", "readable", counter)
          + Document.characteristic("FE05", "write", "writeable") + "</array>"))
  }

  static let set = response("Write=FF|Sets=b")

  static let rules: [(responses: [String], texts: [String])] = [
    ([response("Write=01 .. {n:2} *|Value={n} 00"), set], []),
    ([response("Write=⟦0"), set], ["Write: found \"0\", expected pairs of hexadecimal digits"]),
    ([response("Write=⟦01 xy"), set], ["expected pairs of hexadecimal digits; the key for text is WriteText"]),
    ([response("Write=⟦* 01"), set], ["found more after the rest of the value"]),
    ([response("Write=⟦{n"), set], ["found \"{n\", expected a captured field such as {name} or {name:2}"]),
    ([response("Write=⟦{n:x}"), set], ["found \"{n:x}\", expected a captured field"]),
    ([response("Write=⟦{n:0}"), set], ["expected a field of 1 to 512 bytes"]),
    ([response("Write=⟦{n:1}{n:1}"), set], ["the field {n} a second time, expected each name once"]),
    ([response("Write=⟦{n:512} 00"), set], ["found 513 bytes or more, expected at most 512"]),
    ([response("Write=01|⟦WritTo=7"), set], ["the unknown key \"WritTo\""]),
    ([response("Write=01|WriteText=⟦x"), set], ["WriteText as well as Write, expected one of them"]),
    ([response("Write=01|Value=⟦{n}"), set], ["found {n}, which the row does not capture, expected no field"]),
    ([set, response("Write={m:1}|Text=⟦{n}")], ["found {n}, which the row does not capture, expected {m}"]),
    ([set, response("Write={m:1}|Value=⟦{m:1}")], ["a length of the field {m}"]),
    ([response("Write=01|Value=⟦01 *"), set], ["found * in a value, expected bytes and captured fields"]),
    ([response("Write=01|Error=⟦0x00"), set], ["Error: found \"0x00\""]),
    ([response("Write=01|Error=⟦256"), set], ["Error: found 256, expected 1 to 255"]),
    ([response("Write=01|Error=0x85"), set], []),
    ([response("Write=01|When=[⟦c]"), set], ["When[0]: found \"c\", expected a or b"]),
    ([response("Write=01|When=⟦[]"), set], ["When: found an empty array, expected at least one state"]),
    ([response("Write=01|Sets=⟦c"), set], ["Sets: found \"c\", expected a or b"]),
    ([response("Write=01|UnlessSubscribed=[⟦FE09]"), set], ["found FE09, which this service does not have"]),
    ([response("Write=01|UnlessSubscribed=[⟦FE03]"), set], ["found FE03, to which no central can subscribe"]),
    ([response("Write=01", then: "Characteristic=⟦FE09|Value=01"), set], ["FE09, which this service does not have"]),
    ([response("Write=01", then: "Characteristic=⟦FE03|Value=01"), set], ["FE03, whose cached value never changes"]),
    ([response("Write=01", then: "Characteristic=⟦FE04|Value=01"), set], ["FE04, whose values a generator makes"]),
    (
      [response("Write=01", then: "Characteristic=⟦FE05|Value=01"), set], ["a value of FE05, which no central can see"]
    ),
    ([response("Write=01", then: "⟦⟦Characteristic=FE02"), set], ["a Characteristic without Value or Text"]),
    ([response("Write=01", then: "⟦⟦After=1"), set], ["a step that does nothing, expected Value, Text or Sets"]),
    ([response("Write=01", then: "After=⟦-1|Sets=a"), set], ["After: found -1, expected seconds from 0 to 86400"]),
    ([response("Write=01", then: "After=⟦86401|Sets=a"), set], ["After: found 86401"]),
    ([response("Write=01", then: "Value=\(String(repeating: "00", count: 512))"), set], []),
    (
      [response("Write=01", then: "Value=⟦\(String(repeating: "00", count: 513))"), set],
      ["Value: found 513 bytes, expected at most 512"]
    ),
    (
      [response("Write=01 *"), response("⟦⟦Write=01 02"), set],
      [
        "Responses[1]: found a response that never applies, expected values that the earlier Responses[0] does not match"
      ]
    ),
    ([response("Write=01 *|When=[a]"), response("Write=01 02"), set], []),
    ([set, response("WriteText=version?", then: "Characteristic=FE02|Text=1.0")], []),
  ]

  @Test(arguments: rules)
  func `a table of responses is checked`(responses: [String], texts: [String]) {
    expectDiagnostics(texts, in: Self.document(responses))
  }

  @Test func `a refused write stores nothing`() {
    let row = "<dict><key>Error</key>⟦<string>0x80</string><key>Value</key><string>01</string></dict>"
    expectDiagnostics(["Error as well as a value to store"], in: Self.document([Self.set, row]))
  }

  @Test func `a state that nothing sets is reported, and one that is not named`() {
    expectDiagnostics(["States[1]: found \"c\", which nothing sets"], in: Self.document(["<dict/>"], states: "a ⟦c"))
    expectDiagnostics(
      ["Sets: found \"b\", expected a state, which the service's States has to name"],
      in: Self.document([Self.response("Write=01|Sets=⟦b")], states: ""))
    expectDiagnostics(
      ["\"a\" a second time", "\"b\", which nothing sets"],
      in: Self.document(["<dict/>"], states: "a ⟦a ⟦b"))
  }

  @Test func `states are strings, and not too many`() {
    let states = "<key>States</key>⟦<array>\(String(repeating: "<string>a</string>", count: 257))</array>"
    expectDiagnostics(
      ["States: found 257 names, expected at most 256"],
      in: Document.services(Document.service("FE00", states + "<key>Characteristics</key><array/>")))
    expectDiagnostics(
      ["States[1]: found the integer 1, expected a string"],
      in: Self.document([Self.set]).replacing(
        "<string>a</string><string>b</string>", with: "<string>a</string>⟦<integer>1</integer><string>b</string>"))
  }

  @Test func `a table has a limit and at least one response, and belongs to what can be written`() {
    expectDiagnostics(
      ["Responses: found an empty array, expected at least one response"],
      in: Self.document([], states: "a").replacing("<key>Responses</key>", with: "<key>Responses</key>⟦"))
    let many = Array(repeating: Self.response("Write=01"), count: 257)
    expectDiagnostics(
      ["Responses: found 257 responses, expected at most 256"],
      in: Self.document(many, states: "a").replacing("<key>Responses</key>", with: "<key>Responses</key>⟦"))
    expectDiagnostics(
      ["found responses of a characteristic that no central can write"],
      in: Document.characteristics(
        Document.characteristic(
          "FE01", "read", "readable",
          "<key>Behavior</key>⟦<dict><key>Kind</key><string>responses</string><key>Responses</key><array><dict/></array></dict>"
        )))
  }

  @Test func `a table is read`() throws {
    let profile = try expectProfile(
      Self.document(
        [
          Self.response(
            "Write=01 {n:1}|When=[a]|Sets=b|Cancels=true|UnlessSubscribed=[FE02]",
            then: "After=2|Characteristic=FE02|Text=n{n}|Sets=a"), Self.response("WriteText=x*|Error=0x85"),
        ],
        more: "<key>Otherwise</key><string>requestNotSupported</string><key>InitialValue</key><string>0A</string>"))
    let fields = ["n": WritePattern.Field(offset: 1, count: 1)]
    let uuid = BluetoothUUID(0xFE02 as UInt16)
    let step = Responses.Step(
      after: .seconds(2), characteristic: uuid,
      value: ValueTemplate(parts: [.bytes(Array("n".utf8)), .field("n")]), newState: "a")
    let rows = [
      Responses.Row(
        WritePattern(bytes: [1, nil], fields: fields), states: ["a"], unlessSubscribed: [uuid], newState: "b",
        cancels: true, steps: [step]),
      Responses.Row(.prefix(Array("x".utf8)), error: ATTError(rawValue: 0x85)),
    ]
    #expect(profile.services[0].states == ["a", "b"])
    #expect(
      profile.services[0].characteristics[0].behavior
        == .responses(Responses(rows: rows, otherwise: .requestNotSupported, initialValue: [10])))
  }

  static let keys: [(content: String, texts: [String])] = [
    ("<key>InitialValue</key><string>0A0B</string>", []),
    (
      "<key>InitialValue</key><string>⟦text</string>",
      ["InitialValue: found \"text\", expected data, or hexadecimal digits"]
    ),
    (
      "<key>InitialValue</key>⟦<string>00</string><key>Value</key><data>AA==</data>",
      ["InitialValue as well as Value, expected one of them"]
    ),
  ]

  @Test(arguments: keys)
  func `a first value is checked`(content: String, texts: [String]) {
    expectDiagnostics(
      texts, in: Document.characteristics(Document.characteristic("FE01", "read", "readable", content)))
  }

  static let generators: [(keys: String, texts: [String])] = [
    ("Kind=counter Format=uint8 StartsAt=subscription", []),
    ("Kind=counter Format=uint8 StartsAt=⟦lunch", ["StartsAt: found \"lunch\", expected launch or subscription"]),
    ("Kind=counter Format=medfloat16 Decimals=1", []),
    ("Kind=counter Format=medfloat16 Decimals=⟦8", ["Decimals: found 8, expected 0 to 7"]),
  ]

  @Test(arguments: generators)
  func `the start and the decimals of a generator are checked`(keys: String, texts: [String]) {
    expectDiagnostics(texts, in: Document.behavior(BehaviorRulesTests.keys(keys)))
  }

  @Test func `decimals are for medical floats`() {
    expectDiagnostics(
      ["found Decimals for uint8, expected the format medfloat16 or medfloat32"],
      in: Document.behavior(
        BehaviorRulesTests.keys("Kind=counter Format=uint8") + "<key>Decimals</key>⟦<integer>1</integer>"))
  }
}
