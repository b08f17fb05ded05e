import BleperaBluetooth
import BleperaProfile
import BleperaPropertyLists
import Testing

/// Values in place of the rule set's, and times that an app takes; each marker is the place to which a diagnostic must
/// point.
@Suite struct OverrideRulesTests {
  static func file(_ rules: String) -> String {
    Document.peripheral("<key>Services</key><array/><key>Rules</key>\(rules)")
  }

  static func file(_ key: String, _ value: String) -> String { file("<dict><key>\(key)</key>\(value)</dict>") }

  static let rules: [(input: String, texts: [String])] = [
    (file("⟦<array/>"), ["BLEPeripheral.Rules: found an array, expected a dictionary"]),
    (file("<dict/>"), []),
    (
      file("⟦Interval", "<integer>100</integer>"),
      [
        "Rules.Interval: found the unknown key \"Interval\", expected ForegroundInterval, BackgroundInterval, "
          + "SuspendedError, DisablesCachedValues or TransmitQueue"
      ]
    ),
    (file("⟦SuspendedErorr", "<integer>1</integer>"), ["did you mean 'SuspendedError'?"]),

    (file("ForegroundInterval", "<integer>20</integer>"), []),
    (file("BackgroundInterval", "<real>10240</real>"), []),
    (
      file("ForegroundInterval", "<integer>⟦19</integer>"),
      ["Rules.ForegroundInterval: found 19, expected milliseconds from 20 to 10240"]
    ),
    (
      file("BackgroundInterval", "<real>⟦10240.5</real>"),
      ["Rules.BackgroundInterval: found 10240.5, expected milliseconds from 20 to 10240"]
    ),
    (file("BackgroundInterval", "<real>⟦nan</real>"), ["found nan, expected milliseconds"]),
    (
      file("ForegroundInterval", "⟦<string>100</string>"),
      ["ForegroundInterval: found the string \"100\", expected an integer or a real"]
    ),

    (file("SuspendedError", "<string>insufficientResources</string>"), []),
    (file("SuspendedError", "<integer>1</integer>"), []), (file("SuspendedError", "<integer>0xFF</integer>"), []),
    (
      file("SuspendedError", "<integer>⟦0</integer>"),
      ["Rules.SuspendedError: found 0, which is success, expected 1 to 255, or the name of an ATT error"]
    ),
    (file("SuspendedError", "<integer>⟦256</integer>"), ["SuspendedError: found 256, expected 1 to 255"]),
    (file("SuspendedError", "<integer>⟦-1</integer>"), ["SuspendedError: found -1, expected 1 to 255"]),
    (
      file("SuspendedError", "<string>⟦unlikelyEror</string>"),
      ["SuspendedError: found \"unlikelyEror\", expected invalidHandle, readNotPermitted, "]
    ),
    (
      file("SuspendedError", "<string>⟦UnlikelyError</string>"),
      ["outOfRange or an integer from 1 to 255; did you mean 'unlikelyError'?"]
    ),
    (file("SuspendedError", "<string>⟦14</string>"), ["SuspendedError: found \"14\", expected invalidHandle"]),
    (
      file("SuspendedError", "⟦<real>14</real>"),
      ["SuspendedError: found the real 14.0, expected the name of an ATT error or an integer"]
    ),

    (file("DisablesCachedValues", "<false/>"), []), (file("TransmitQueue", "<integer>1</integer>"), []),
    (file("TransmitQueue", "<integer>⟦0</integer>"), ["TransmitQueue: found 0, expected 1 to 1000000"]),
    (file("TransmitQueue", "<integer>⟦1000001</integer>"), ["TransmitQueue: found 1000001, expected 1 to 1000000"]),
    (
      file("DisablesCachedValues", "⟦<integer>1</integer>"),
      ["DisablesCachedValues: found the integer 1, expected <true/> or <false/>"]
    ),
    (
      file("<dict><key>ForegroundInterval</key><real>⟦1</real><key>SuspendedError</key><integer>⟦300</integer></dict>"),
      ["ForegroundInterval: found 1.0", "SuspendedError: found 300"]
    ),
  ]

  @Test("Rules are checked", arguments: rules)
  func check(input: String, texts: [String]) { expectDiagnostics(texts, in: input) }

  @Test("Rules become what they say, and nothing where they say nothing")
  func overrides() throws {
    let profile = try expectProfile(
      Self.file(
        """
        <dict><key>ForegroundInterval</key><integer>30</integer>
        <key>BackgroundInterval</key><real>152.5</real>
        <key>SuspendedError</key><string>requestNotSupported</string>
        <key>DisablesCachedValues</key><true/>
        <key>TransmitQueue</key><integer>20</integer></dict>
        """))
    #expect(
      profile.rules
        == RuleOverrides(
          foregroundInterval: 30, backgroundInterval: 152.5, suspendedError: .requestNotSupported,
          disablesCachedValues: true, transmitQueue: 20))
    #expect(try expectProfile(Self.file("<dict/>")).rules == RuleOverrides())
    #expect(try expectProfile(Document.services(Document.service("FE00"))).rules == RuleOverrides())
    #expect(
      try expectProfile(Self.file("DisablesCachedValues", "<false/>")).rules
        == RuleOverrides(disablesCachedValues: false))
  }

  @Test("Every ATT error can be named and numbered", arguments: ATTError.names.map(\.name))
  func attErrors(name: String) throws {
    let error = try #require(ATTError.names.first { $0.name == name }?.error)
    for value in ["<string>\(name)</string>", "<integer>\(error.rawValue)</integer>"] {
      #expect(try expectProfile(Self.file("SuspendedError", value)).rules.suspendedError == error)
    }
  }

  static func slow(_ delay: String, _ properties: String = "read", _ permissions: String = "readable") -> String {
    Document.characteristics(
      Document.characteristic("FE01", properties, permissions, "<key>AnswerDelay</key>\(delay)"))
  }

  static let value = "<key>Value</key><data>AQ==</data>"

  static let delays: [(input: String, texts: [String])] = [
    (slow("<integer>0</integer>"), []), (slow("<real>3600</real>"), []),
    (
      slow("<real>⟦-0.5</real>"),
      ["Characteristics[0].AnswerDelay: found -0.5, expected seconds from 0 to 3600"]
    ),
    (slow("<integer>⟦3601</integer>"), ["AnswerDelay: found 3601, expected seconds from 0 to 3600"]),
    (slow("<real>⟦inf</real>"), ["AnswerDelay: found inf, expected seconds"]),
    (slow("⟦<true/>"), ["AnswerDelay: found true, expected an integer or a real"]),
    (slow("⟦<integer>1</integer>" + value), ["error: BLEPeripheral.Services[0].Characteristics[0].AnswerDelay: found"]),
    (slow("⟦<integer>0</integer>" + value), ["AnswerDelay as well as Value, expected one of them: the system"]),
    (slow("⟦<string>1</string>" + value), ["AnswerDelay: found the string"]),
    (
      slow("⟦<integer>1</integer>", "⟦<notify"),
      [
        "found notify without a source of values",
        "warning: BLEPeripheral.Services[0].Characteristics[0].AnswerDelay: found an AnswerDelay for a",
      ]
    ),
    (slow("<integer>1</integer>", "writeWithoutResponse", "writeable"), []),
  ]

  @Test("The delay of answers is checked", arguments: delays)
  func checkDelay(input: String, texts: [String]) { expectDiagnostics(texts, in: input) }

  @Test(
    "The delay of answers is in seconds, and none by default",
    arguments: [
      ("<key>AnswerDelay</key><integer>20</integer>", .seconds(20)),
      ("<key>AnswerDelay</key><real>0.25</real>", .milliseconds(250)), ("", .zero),
    ] as [(String, Duration)])
  func answerDelay(content: String, delay: Duration) throws {
    let profile = try expectProfile(
      Document.characteristics(Document.characteristic("FE01", "read", "readable", content)))
    #expect(profile.services.first?.characteristics.first?.answerDelay == delay)
  }
}
