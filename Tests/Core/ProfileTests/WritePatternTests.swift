import BleperaBluetooth
import Testing

@testable import BleperaProfile

@Suite struct WritePatternTests {
  /// The pattern, a value in hexadecimal digits, and its fields; nil where the value does not match.
  static let matches: [(pattern: String, value: String, fields: [String: String]?)] = [
    ("01 02", "0102", [:]), ("01 02", "01", nil), ("01 02", "010203", nil), ("0102*", "0102", [:]),
    ("01 *", "0102 0304", [:]), ("01 *", "", nil), ("*", "", [:]), ("", "", [:]), ("", "00", nil),
    ("01 .. 03", "01FF03", [:]), ("01 .. 03", "0103", nil), ("01....", "010203", [:]),
    ("{a:1} 02 {b:2}", "01020304", ["a": "01", "b": "0304"]), ("{a:1}", "", nil), ("{a:1}", "0102", nil),
    ("01 {a}", "01", ["a": ""]), ("01 {a}", "010203", ["a": "0203"]), ("{a:1}*", "0102", ["a": "01"]),
  ]

  @Test(arguments: matches)
  func `a pattern matches values and captures their fields`(
    pattern: String, value: String, fields: [String: String]?
  ) throws {
    let pattern = try PatternReader.pattern(PatternReader.hexadecimal(pattern))
    #expect(pattern.match(try #require(Hex.bytes(value)))?.mapValues { Hex.string($0) } == fields)
  }

  static let texts: [(pattern: String, value: String, fields: [String: String]?)] = [
    ("version?", "version?", [:]), ("version?", "version", nil), ("led {color}", "led red", ["color": "red"]),
    ("set {key:2}=*", "set ab=1", ["key": "ab"]), ("a..", "abc", nil), ("a..", "a..", [:]), ("2*3", "2*3", [:]),
    ("2*", "2 and more", [:]), ("ü", "ü", [:]),
  ]

  @Test(arguments: texts)
  func `a pattern may be text`(pattern: String, value: String, fields: [String: String]?) throws {
    let pattern = try PatternReader.pattern(PatternReader.text(pattern))
    #expect(pattern.match(Array(value.utf8))?.mapValues { String(decoding: $0, as: UTF8.self) } == fields)
  }

  static let covering: [(first: String, second: String, covers: Bool)] = [
    ("*", "", true), ("*", "01*", true), ("01*", "01", true), ("01*", "0102", true), ("01*", "02", false),
    ("01", "01*", false), ("01", "01", true), ("..", "01", true), ("01", "..", false), ("{a:1}", "..", true),
    ("0102*", "01*", false), ("01..*", "0102*", true), ("*", "{a}", true), ("01", "0102", false),
  ]

  @Test(arguments: covering)
  func `a pattern may match all that another one does`(first: String, second: String, covers: Bool) throws {
    let first = try PatternReader.pattern(PatternReader.hexadecimal(first))
    #expect(first.covers(try PatternReader.pattern(PatternReader.hexadecimal(second))) == covers)
  }

  @Test func `a row covers a later one only where its conditions do`() {
    typealias Row = Responses.Row
    let uuid = BluetoothUUID(0x2A18 as UInt16)
    #expect(Row(.any).covers(Row(.any, states: ["a"])))
    #expect(!Row(.any, states: ["a"]).covers(Row(.any)))
    #expect(Row(.any, states: ["a", "b"]).covers(Row(.any, states: ["a"])))
    #expect(!Row(.any, states: ["a"]).covers(Row(.any, states: ["a", "b"])))
    #expect(!Row(.any, unlessSubscribed: [uuid]).covers(Row(.any)))
    #expect(Row(.any, unlessSubscribed: [uuid]).covers(Row(.any, unlessSubscribed: [uuid])))
  }

  @Test func `a value is cut at the limit`() {
    let template = ValueTemplate(parts: [.bytes([1, 2]), .field("a"), .field("none")])
    #expect(template.value(["a": [3, 4]], limit: 512) == [1, 2, 3, 4])
    #expect(template.value(["a": [3, 4]], limit: 3) == [1, 2, 3])
  }
}
