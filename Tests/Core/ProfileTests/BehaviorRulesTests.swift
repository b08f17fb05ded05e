import BleperaBluetooth
import BleperaPropertyLists
import Testing

@testable import BleperaProfile

/// Behaviors; each marker is where a diagnostic must point.
@Suite struct BehaviorRulesTests {
  /// `Kind=ramp Minimum=1` as keys and values: numbers become integers or reals, the rest strings.
  static func keys(_ text: String) -> String {
    text.split(separator: " ").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let value = parts.count > 1 ? parts[1] : ""
      let plain = value.split(separator: "⟦", omittingEmptySubsequences: false).joined()
      let tag = Int(plain) != nil || UInt64(plain) != nil ? "integer" : Double(plain) != nil ? "real" : "string"
      return "<key>\(parts[0])</key><\(tag)>\(value)</\(tag)>"
    }.joined(separator: "\n")
  }

  static let rules: [(keys: String, texts: [String])] = [
    (
      "Kind=⟦cuonter",
      [
        "Kind: found \"cuonter\", expected echo, counter, ramp, sine, sequence, random or responses; did you mean 'counter'?"
      ]
    ),
    ("Kind=⟦x ⟦Formt=uint8", ["Kind: found \"x\"", "the unknown key \"Formt\""]),
    ("Kind=counter Format=⟦uint7", ["Format: found \"uint7\", expected uint8, uint16"]),
    ("Kind=counter Format=⟦hex", ["found hex for the kind counter, expected a format that holds numbers"]),
    (
      "Kind=counter Format=uint8 ⟦Minimum=1",
      [
        "unknown key \"Minimum\", expected Kind, Format, Start, Step, Interval, StartsAt, Prefix, PrefixText or Decimals for"
      ]
    ),
    (
      "Kind=echo ⟦Format=uint8",
      ["the unknown key \"Format\", expected Kind, Source, InitialValue or InitialText for the kind echo"]
    ),
    ("Kind=counter Format=uint8 Start=255", []),
    ("Kind=counter Format=uint8 Start=⟦256", ["Start: found 256, expected 0 to 255, the range of uint8"]),
    ("Kind=counter Format=uint8 Start=⟦-1", ["found -1, expected 0 to 255"]),
    ("Kind=counter Format=sint8 Start=-128 Step=-1", []), ("Kind=counter Format=sint8 Start=⟦128", ["-128 to 127"]),
    ("Kind=counter Format=uint24 Start=⟦16777216", ["0 to 16777215"]),
    ("Kind=counter Format=uint40 Start=⟦1099511627776", ["0 to 1099511627775"]),
    ("Kind=counter Format=sint48 Start=⟦140737488355328", ["-140737488355328 to 140737488355327"]),
    ("Kind=counter Format=uint64 Start=18446744073709551615", []),
    ("Kind=counter Format=sint64 Start=⟦9223372036854775808", ["the range of sint64"]),
    ("Kind=counter Format=uint8 Step=⟦0", ["Step: found 0, expected another number than 0"]),
    ("Kind=counter Format=uint8 Step=⟦256", ["Step: found 256, expected at most 255"]),
    ("Kind=counter Format=utf8 Start=-5 Step=0.5", []),
    ("Kind=counter Format=float32 Start=1.5", []), ("Kind=counter Format=float Start=1", []),
    ("Kind=counter Format=float32 Start=⟦1e39", ["the range of float32"]),
    ("Kind=counter Format=medfloat16 Start=⟦3e10", ["the range of medfloat16"]),
    ("Kind=counter Format=medfloat32 Start=1e100", []),
    ("Kind=counter Format=float64 Start=⟦nan", ["Start: found nan"]),
    ("Kind=counter Format=float64 Start=⟦inf", ["Start: found inf"]),
    ("Kind=ramp Format=uint8 Minimum=1 Maximum=9", []),
    ("Kind=ramp Format=uint8 Minimum=1 Maximum=⟦1", ["Maximum: found 1, expected more than Minimum, 1"]),
    ("Kind=ramp Format=uint8 Minimum=9 Maximum=⟦1", ["expected more than Minimum, 9"]),
    ("Kind=ramp Format=uint8 Minimum=⟦300 Maximum=⟦400", ["Minimum: found 300", "Maximum: found 400"]),
    ("Kind=ramp Format=uint8 Minimum=1 Maximum=9 Step=⟦-1", ["Step: found -1, expected more than 0"]),
    ("Kind=sine Format=float32 Minimum=-1 Maximum=1.0 Period=10", []),
    (
      "Kind=sine Format=float32 Minimum=-1 Maximum=1 Period=⟦0",
      ["Period: found 0, expected seconds from 0.001 to 31536000"]
    ),
    ("Kind=random Format=uint8 Minimum=1 Maximum=6 Seed=-1", []),
    ("Kind=random Format=utf8 Minimum=1.5 Maximum=6 Interval=0.02", []),
    ("Kind=counter Format=uint8 Interval=⟦0.01", ["Interval: found 0.01, expected seconds from 0.02 to 86400"]),
    ("Kind=counter Format=uint8 Interval=86400", []), ("Kind=counter Format=uint8 Interval=⟦86401", ["found 86401"]),
    ("Kind=counter Format=uint8 Interval=⟦nan", ["found nan"]),
    ("Kind=counter Format=utf8 PrefixText=T:", []),
    (
      "Kind=counter Format=utf8 PrefixText=⟦\(String(repeating: "x", count: 500))",
      ["a prefix of 500 bytes, expected at most 480"]
    ),
    ("Kind=counter Format=utf8 PrefixText=⟦\(String(repeating: "x", count: 600))", ["600 bytes"]),
  ]

  @Test("Behaviors are checked", arguments: rules)
  func rule(keys: String, texts: [String]) {
    // A marker before a key goes into its tag.
    let content = Self.keys(
      keys.split(separator: " ").map { pair in pair.hasPrefix("⟦") ? "@" + pair.dropFirst() : String(pair) }.joined(
        separator: " "))
    let marked = content.split(separator: "<key>@", omittingEmptySubsequences: false).joined(separator: "<key>⟦")
    let properties = keys.hasPrefix("Kind=echo") ? "read write" : "read notify"
    let permissions = keys.hasPrefix("Kind=echo") ? "readable writeable" : "readable"
    expectDiagnostics(
      texts,
      in: Document.characteristics(
        Document.characteristic("FE01", properties, permissions, "<key>Behavior</key><dict>\(marked)</dict>")))
  }

  static let typed: [(content: String, texts: [String])] = [
    ("<key>Kind</key>⟦<integer>7</integer>", ["Kind: found the integer 7, expected a string"]),
    (
      keys("Kind=counter Format=uint8") + "<key>Start</key>⟦<real>1.0</real>",
      ["Start: found the real 1.0, expected an integer for uint8"]
    ),
    (
      keys("Kind=counter Format=uint8") + "<key>Step</key>⟦<real>1.5</real>",
      ["Step: found the real 1.5, expected an integer for uint8"]
    ),
    (
      keys("Kind=counter Format=uint8") + "<key>Start</key>⟦<string>1</string>",
      ["Start: found the string \"1\", expected an integer or a real"]
    ),
    (keys("Kind=counter Format=uint8") + "<key>Prefix</key><data>⟦A</data>", ["Prefix: found Base64"]),
    (
      keys("Kind=random Format=uint8 Minimum=1 Maximum=2") + "<key>Seed</key>⟦<real>1.0</real>",
      ["Seed: found the real 1.0, expected an integer"]
    ),
  ]

  @Test("Numbers of the wrong type are named", arguments: typed)
  func type(content: String, texts: [String]) { expectDiagnostics(texts, in: Document.behavior(content)) }

  @Test("Missing keys of a kind are named")
  func missing() {
    expectDiagnostics(
      ["Behavior: found no key Kind, expected Kind, a string"],
      in: Document.characteristics(
        Document.characteristic("FE01", "read", "readable", "<key>Behavior</key>⟦<dict/>")))
    expectDiagnostics(
      ["no key Format", "no key Minimum, expected Minimum, an integer or a real", "no key Maximum", "no key Period"],
      in: Document.characteristics(
        Document.characteristic(
          "FE01", "read", "readable", "<key>Behavior</key>⟦⟦⟦⟦<dict><key>Kind</key><string>sine</string></dict>")))
  }

  static let sequences: [(format: String, values: String, texts: [String])] = [
    ("uint8", "⟦", ["Values: found an empty array"]), ("uint8", "<integer>1</integer><integer>255</integer>", []),
    (
      "uint8", "<integer>⟦256</integer>⟦<string>1</string>⟦<real>1.0</real>",
      [
        "Values[0]: found 256", "Values[1]: found the string \"1\", expected an integer for uint8",
        "Values[2]: found the real 1.0",
      ]
    ),
    ("utf8", "<string>a</string><integer>1</integer><real>1.5</real>", []),
    ("utf8", "⟦<true/>", ["found true, expected a string or a number for utf8"]),
    ("utf8", "<string>⟦\(String(repeating: "x", count: 513))</string>", ["513 bytes"]),
    ("utf8", "<real>⟦nan</real>", ["found nan"]),
    ("hex", "<string>01 ff</string><data>AQ==</data>", []),
    (
      "hex", "<string>⟦1</string>⟦<integer>1</integer>",
      [
        "found \"1\", an odd number of digits, expected data",
        "found the integer 1, expected a string of hexadecimal digits",
      ]
    ),
    ("hex", "<string>⟦\(String(repeating: "00", count: 513))</string>", ["513 bytes, expected at most 512"]),
    ("medfloat16", "<real>nan</real><real>-inf</real><integer>3</integer>", []),
    ("float32", "⟦<string>x</string>", ["expected a number for float32"]),
  ]

  @Test("The values of a sequence fit its format", arguments: sequences)
  func sequence(format: String, values: String, texts: [String]) {
    let array = values == "⟦" ? "⟦<array/>" : "<array>\(values)</array>"
    expectDiagnostics(
      texts, in: Document.behavior(Self.keys("Kind=sequence Format=\(format)") + "<key>Values</key>" + array))
  }

  static func echo(_ source: String) -> String {
    "<key>Behavior</key><dict><key>Kind</key><string>echo</string>\(source)</dict>"
  }

  static let echoes: [(content: String, texts: [String])] = [
    (Document.characteristic("FE01", "read write", "readable writeable", echo("")), []),
    (
      Document.characteristic(
        "FE01", "notify writeWithoutResponse", "writeable", echo("<key>InitialText</key><string>x</string>")), []
    ),
    (
      Document.characteristic(
        "FE01", "read", "readable", "<key>Behavior</key>⟦<dict><key>Kind</key><string>echo</string></dict>"),
      [
        "Characteristics[0].Behavior: found an echo of a characteristic that no central can write"
      ]
    ),
    (
      Document.characteristic("FE01", "write", "writeable")
        + Document.characteristic("FE02", "notify", "", echo("<key>Source</key><string>FE01</string>")), []
    ),
    (
      Document.characteristic("FE02", "notify", "", echo("<key>Source</key><string>FE01</string>"))
        + Document.characteristic("FE01", "write", "writeable"), []
    ),
    (
      Document.characteristic("FE02", "notify", "", echo("<key>Source</key><string>⟦FE01</string>")),
      [
        "Characteristics[0].Behavior.Source: found FE01, which this service does not have"
      ]
    ),
    (
      Document.characteristic("FE01", "read", "readable")
        + Document.characteristic("FE02", "notify", "", echo("<key>Source</key><string>⟦FE01</string>")),
      ["warning: BLEPeripheral.Services[0].Characteristics[1].Behavior.Source: found FE01, which no central can write"]
    ),
    (
      Document.characteristic("FE02", "notify", "", echo("<key>Source</key><string>⟦FE</string>")),
      ["Source: found \"FE\", expected a UUID"]
    ),
    (
      Document.characteristic("⟦FE", "write", "writeable")
        + Document.characteristic("FE02", "notify", "", echo("<key>Source</key><string>FE01</string>")),
      ["UUID: found \"FE\""]
    ),
    (
      Document.characteristic(
        "FE01", "read write", "readable writeable",
        echo("<key>InitialText</key><string>⟦\(String(repeating: "x", count: 513))</string>")), ["513 bytes"]
    ),
  ]

  @Test("Echoes have something to echo", arguments: echoes)
  func echo(content: String, texts: [String]) { expectDiagnostics(texts, in: Document.characteristics(content)) }

  static let models: [(content: String, behavior: Behavior)] = [
    (
      keys("Kind=counter Format=uint8"),
      .generator(Generator(format: .unsigned(bytes: 1), shape: .counter(start: 0, step: 1)))
    ),
    (
      keys("Kind=counter Format=sint16 Start=5 Step=-2 Interval=0.5") + "<key>Prefix</key><data>AQI=</data>",
      .generator(
        Generator(
          format: .signed(bytes: 2), shape: .counter(start: 5, step: -2), interval: .milliseconds(500), prefix: [1, 2]))
    ),
    (
      keys("Kind=ramp Format=float Minimum=1 Maximum=2.5 Step=0.5"),
      .generator(Generator(format: .float32, shape: .ramp(minimum: 1, maximum: 2.5, step: 0.5)))
    ),
    (
      keys("Kind=sine Format=medfloat16 Minimum=1 Maximum=2 Period=7"),
      .generator(Generator(format: .medfloat16, shape: .sine(minimum: 1, maximum: 2, period: 7)))
    ),
    (
      keys("Kind=random Format=utf8 Minimum=1 Maximum=2 Seed=18446744073709551615"),
      .generator(Generator(format: .utf8, shape: .random(minimum: 1, maximum: 2, seed: .max)))
    ),
    (
      keys("Kind=sequence Format=uint16")
        + "<key>Values</key><array><integer>1</integer><integer>258</integer></array>",
      .generator(Generator(format: .unsigned(bytes: 2), shape: .sequence([[1, 0], [2, 1]])))
    ),
  ]

  @Test("A behavior becomes its model", arguments: models)
  func model(content: String, behavior: Behavior) throws {
    let profile = try expectProfile(Document.behavior(content))
    #expect(profile.services.first?.characteristics.first?.behavior == behavior)
  }

  @Test("An echo becomes its model")
  func echoModel() throws {
    let profile = try expectProfile(
      Document.characteristics(
        Document.characteristic("FE01", "write", "writeable")
          + Document.characteristic(
            "FE02", "notify", "",
            Self.echo("<key>Source</key><string>FE01</string><key>InitialText</key><string>a</string>"))))
    #expect(
      profile.services.first?.characteristics.map(\.behavior)
        == [nil, .echo(Echo(source: BluetoothUUID(0xFE01 as UInt16), initialValue: [0x61]))])
  }
}
