import BleperaDBus
import Testing

@Suite("Signatures")
struct SignatureTests {
  @Test(
    "Each type has its code, its alignment and its place as a key",
    arguments: [
      (.byte, "y", 1, true), (.boolean, "b", 4, true), (.int16, "n", 2, true), (.uint16, "q", 2, true),
      (.int32, "i", 4, true), (.uint32, "u", 4, true), (.int64, "x", 8, true), (.uint64, "t", 8, true),
      (.double, "d", 8, true), (.string, "s", 4, true), (.objectPath, "o", 4, true), (.signature, "g", 1, true),
      (.unixFD, "h", 4, true), (.variant, "v", 1, false), (.array(.byte), "ay", 4, false),
      (.dictionary(key: .string, value: .variant), "a{sv}", 4, false), (.structure([.byte]), "(y)", 8, false),
      (.array(.structure([.objectPath, .properties])), "a(oa{sv})", 4, false),
      (.dictionary(key: .objectPath, value: .interfaces), "a{oa{sa{sv}}}", 4, false),
    ] as [(DBusType, String, Int, Bool)])
  func types(type: DBusType, signature: String, alignment: Int, isBasic: Bool) {
    #expect(type.signature == signature)
    #expect(type.alignment == alignment)
    #expect(type.isBasic == isBasic)
    #expect(DBusType(signature: signature) == type)
    #expect(Signature(signature)?.types == [type])
  }

  @Test(
    "A signature is any number of complete types",
    arguments: [
      ("", []), ("yy", [.byte, .byte]), ("sa{sv}as", [.string, .properties, .array(.string)]),
      ("(y)(a(y))", [.structure([.byte]), .structure([.array(.structure([.byte]))])]),
      ("a{ya{yy}}", [.dictionary(key: .byte, value: .dictionary(key: .byte, value: .byte))]),
    ] as [(String, [DBusType])])
  func sequences(text: String, types: [DBusType]) {
    #expect(Signature(text)?.types == types)
    #expect(Signature(text)?.text == text)
    #expect(types.map(\.signature).joined() == text)
  }

  @Test(
    "What is not of the grammar is no signature",
    arguments: [
      "a", "aa", "(", ")", "()", "(y", "y)", "(()y)", "{sv}", "({sv})", "a{", "a{}", "a{s}", "a{sv", "a{svv}", "a{vs}",
      "a{(y)s}", "a{ays}", "z", "m", "r", "e", "*", "a{sv}}", "y ", "é", "aa{sv", "a{s{sv}}",
    ])
  func faulty(text: String) {
    #expect(Signature(text) as Signature? == nil)
    #expect(DBusType(signature: text) == nil)
  }

  @Test("One type is neither none nor two", arguments: ["", "yy", "a{sv}s"])
  func oneType(text: String) {
    #expect(DBusType(signature: text) == nil)
  }

  /// Parts of a signature and how often each stands in it.
  private static let bounds: [([(String, Int)], Bool)] = [
    ([("y", 255)], true), ([("y", 256)], false), ([("(y)", 85)], true),
    ([("a", 32), ("y", 1)], true), ([("a", 33), ("y", 1)], false), ([("a", 32), ("yay", 1)], true),
    ([("(", 32), ("y", 1), (")", 32)], true), ([("(", 33), ("y", 1), (")", 33)], false),
    ([("a", 32), ("(", 32), ("y", 1), (")", 32)], true),
    ([("a{y", 32), ("y", 1), ("}", 32)], true), ([("a{y", 33), ("y", 1), ("}", 33)], false),
    ([("a(", 32), ("y", 1), (")", 32)], true), ([("a(", 32), ("ay", 1), (")", 32)], false),
    ([("(", 100_000)], false), ([("(", 255)], false), ([("a", 255)], false),
  ]

  @Test("A signature keeps the limits of length and nesting", arguments: bounds)
  func limits(parts: [(String, Int)], isValid: Bool) {
    let text = parts.map { String(repeating: $0.0, count: $0.1) }.joined()
    #expect((Signature(text) as Signature? != nil) == isValid)
  }

  @Test("Types that the grammar cannot spell make no signature")
  func types() {
    let deep = (0..<33).reduce(DBusType.byte) { type, _ in .array(type) }
    for type: DBusType in [.structure([]), .dictionary(key: .variant, value: .byte), deep] {
      #expect(Signature(type.signature) as Signature? == nil)
    }
  }
}
