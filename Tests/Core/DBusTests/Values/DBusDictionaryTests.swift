import BusTesting
import Testing

@testable import BleperaDBus

@Suite("Dictionaries")
struct DBusDictionaryTests {
  @Test("Entries keep their order and are found by key")
  func order() throws {
    let dictionary = try DBusDictionary(
      key: .string, value: .byte, [(.string("z"), .byte(1)), (.string("a"), .byte(2)), (.string("m"), .byte(3))])
    #expect(dictionary.entries.map(\.key) == [.string("z"), .string("a"), .string("m")])
    #expect(dictionary["a"] == .byte(2))
    #expect(dictionary[.string("m")] == .byte(3))
    #expect(dictionary["b"] == nil)
    #expect(dictionary[.byte(1)] == nil)
  }

  @Test("Of entries with the same key the last value counts at the first place")
  func duplicates() throws {
    let dictionary = try DBusDictionary(
      key: .byte, value: .byte, [(.byte(1), .byte(1)), (.byte(2), .byte(2)), (.byte(1), .byte(3))])
    #expect(dictionary.entries.map(\.key) == [.byte(1), .byte(2)])
    #expect(dictionary[.byte(1)] == .byte(3))
  }

  @Test("Of received properties with the same name the last value counts, at the first place")
  func receivedDuplicates() throws {
    func entry(_ name: Character, _ value: UInt8) -> [UInt8] { [1, 0, 0, 0, name.asciiValue!, 0, 1, 121, 0, value] }
    let padding = [UInt8](repeating: 0, count: 6)
    let bytes = entry("a", 1) + padding + entry("b", 2) + padding + entry("a", 3)
    let dictionary = DBusDictionary(try #require(EncodedProperties(bytes, 0..<bytes.count)))
    #expect(dictionary.property("a") == .byte(3) && dictionary["a"] == .variant(.byte(3)))
    #expect(dictionary.property("ab") == nil && dictionary["c"] == nil)
    #expect(DBusValue.dictionary(dictionary) == .properties([("a", .byte(3)), ("b", .byte(2))]))
    #expect(dictionary.entries.map(\.key) == [.string("a"), .string("b")])
  }

  @Test("Equality knows no order but knows types")
  func equality() throws {
    let entries: [DBusDictionary.Entry] = [(.byte(1), .byte(2)), (.byte(2), .byte(1))]
    let one = try DBusDictionary(key: .byte, value: .byte, entries)
    let other = try DBusDictionary(key: .byte, value: .byte, entries.reversed())
    #expect(one == other)
    #expect(one.hashValue == other.hashValue)
    #expect(try one != DBusDictionary(key: .byte, value: .byte, [(.byte(1), .byte(1)), (.byte(2), .byte(2))]))
    #expect(try one != DBusDictionary(key: .byte, value: .byte, [(.byte(1), .byte(2))]))
    #expect(
      try DBusDictionary(key: .byte, value: .byte, []) != DBusDictionary(key: .byte, value: .string, []))
  }

  @Test(
    "A key or value of another type is refused",
    arguments: [
      (.string, .byte, [(.byte(1), .byte(1))], "The key of entry 0 is of type y in a dictionary with keys of s."),
      (
        .byte, .byte, [(.byte(1), .byte(1)), (.byte(1), .string(""))],
        "The value of entry 1 is of type s in a dictionary with values of y."
      ),
      (.variant, .byte, [], "A dictionary cannot have keys of type v, which is not basic."),
    ] as [(DBusType, DBusType, [DBusDictionary.Entry], String)])
  func refusals(key: DBusType, value: DBusType, entries: [DBusDictionary.Entry], message: String) {
    let error = #expect(throws: DBusTypeMismatch.self) { try DBusDictionary(key: key, value: value, entries) }
    #expect(error?.description == message)
  }
}
