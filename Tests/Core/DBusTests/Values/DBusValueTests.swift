import BleperaDBus
import BusTesting
import Testing

@Suite("Values")
struct DBusValueTests {
  private static let descriptor = UnixFileDescriptor(owning: -1)

  /// One of every type, with its signature and its text in a log.
  static let all: [(DBusValue, String, String)] = [
    (.byte(255), "y", "byte 0xff"), (.boolean(true), "b", "true"), (.int16(-2), "n", "int16 -2"),
    (.uint16(2), "q", "uint16 2"), (.int32(-3), "i", "-3"), (.uint32(3), "u", "uint32 3"),
    (.int64(-4), "x", "int64 -4"), (.uint64(4), "t", "uint64 4"), (.double(1.5), "d", "1.5"),
    (.string("it's\n\\"), "s", #"'it\'s\n\\'"#),
    (.string("\u{1}\u{202E}é\u{E0001}"), "s", #"'\u0001\u202eé\U000e0001'"#),
    (.objectPath("/a"), "o", "objectpath '/a'"), (.signature("a{sv}"), "g", "signature 'a{sv}'"),
    (.unixFD(descriptor), "h", "handle -1"), (.bytes([1, 2]), "ay", "[byte 0x01, 0x02]"), (.bytes([]), "ay", "@ay []"),
    (.strings(["a", "b"]), "as", "['a', 'b']"), (.strings([]), "as", "@as []"),
    (.paths(["/", "/a"]), "ao", "[objectpath '/', '/a']"),
    (.properties([("a", .byte(1)), ("b", .strings([]))]), "a{sv}", "{'a': <byte 0x01>, 'b': <@as []>}"),
    (.properties([]), "a{sv}", "@a{sv} {}"), (.structure([.int16(1), .string("x")]), "(ns)", "(int16 1, 'x')"),
    (.structure([.byte(1)]), "(y)", "(byte 0x01,)"), (.variant(.variant(.uint16(1))), "v", "<<uint16 1>>"),
    (made(.array(.uint16), [made(.uint16, []), made(.uint16, [.uint16(1)])]), "aaq", "[@aq [], [1]]"),
  ]

  static func made(_ type: DBusType, _ elements: [DBusValue]) -> DBusValue {
    do { return try .array(of: type, elements) } catch { preconditionFailure("\(error)") }
  }

  @Test("A value of every type has its type and its text", arguments: all)
  func texts(value: DBusValue, signature: String, text: String) {
    #expect(value.type.signature == signature)
    #expect(value.isOf(value.type))
    #expect("\(value)" == text)
  }

  @Test("Every value is equal to itself, with the same hash, and to no other")
  func equality() {
    for (index, left) in Self.all.enumerated() {
      for (other, right) in Self.all.enumerated() {
        #expect((left.0 == right.0) == (index == other))
        #expect(left.0.isOf(right.0.type) == (left.1 == right.1))
      }
    }
    #expect(Set(Self.all.map(\.0)).count == Self.all.count)
  }

  @Test("Equality is that of the bytes on the wire")
  func wireEquality() {
    #expect(DBusValue.double(.nan) == .double(.nan))
    #expect(DBusValue.double(0) != .double(-0.0))
    #expect(DBusValue.string("\u{E9}") != .string("e\u{301}"))
    #expect(DBusValue.unixFD(UnixFileDescriptor(owning: -1)) != .unixFD(UnixFileDescriptor(owning: -1)))
  }

  @Test("An array of bytes has one form however it was made")
  func normalisation() throws {
    #expect(try DBusValue.array(of: .byte, [.byte(1), .byte(2)]) == .bytes([1, 2]))
    #expect(try DBusValue.array(of: .byte, []) == .bytes([]))
    #expect(throws: DBusTypeMismatch.self) { try DBusArray(of: .byte, []) }
  }

  @Test("Empty arrays of different types are different")
  func emptyArrays() {
    #expect(Self.made(.string, []) != Self.made(.objectPath, []))
    #expect(Self.made(.array(.string), []).type == "aas")
  }

  @Test(
    "An element of another type is refused with its index",
    arguments: [
      (.string, [.string("a"), .byte(1)], "Element 1 of an array of s is of type y."),
      (.byte, [.boolean(true)], "Element 0 of an array of y is of type b."),
      (.array(.string), [.paths([])], "Element 0 of an array of as is of type ao."),
      (.variant, [.byte(1)], "Element 0 of an array of v is of type y."),
      (.structure([.byte]), [.structure([.byte(1), .byte(2)])], "Element 0 of an array of (y) is of type (yy)."),
    ] as [(DBusType, [DBusValue], String)])
  func elements(type: DBusType, elements: [DBusValue], message: String) {
    let error = #expect(throws: DBusTypeMismatch.self) { try DBusValue.array(of: type, elements) }
    #expect(error?.description == message)
  }

  @Test("Reading gives a value of the asked type and nothing else")
  func reading() {
    #expect(DBusValue.boolean(false).bool == false)
    #expect(DBusValue.byte(1).bool == nil)
    #expect(DBusValue.string("a").text == "a")
    #expect(DBusValue.objectPath("/a").text == nil)
    #expect(DBusValue.objectPath("/a").path == "/a")
    #expect(DBusValue.bytes([1]).byteArray == [1])
    #expect(DBusValue.strings(["a"]).stringArray == ["a"])
    #expect(DBusValue.strings([]).pathArray == nil)
    #expect(DBusValue.paths(["/a"]).pathArray == ["/a"])
    #expect(DBusValue.bytes([]).stringArray == nil)
    #expect(DBusValue.unixFD(Self.descriptor).fileDescriptor === Self.descriptor)
    #expect(DBusValue.variant(.string("a")).text == nil)
    #expect(DBusValue.variant(.variant(.string("a"))).unwrapped.text == "a")
  }

  @Test(
    "Integers of every width are read",
    arguments: [
      (.byte(200), 200, 200), (.uint16(.max), 65535, 65535), (.uint32(.max), 4_294_967_295, 4_294_967_295),
      (.uint64(.max), .max, nil), (.int16(-1), nil, -1), (.int32(-1), nil, -1), (.int64(.min), nil, .min),
      (.double(1), nil, nil), (.boolean(true), nil, nil),
    ] as [(DBusValue, UInt64?, Int64?)])
  func integers(value: DBusValue, unsigned: UInt64?, integer: Int64?) {
    #expect(value.unsigned == unsigned)
    #expect(value.integer == integer)
  }

  @Test("Properties are read by name, out of their variants")
  func properties() {
    let value = DBusValue.properties([("a", .byte(1)), ("b", .variant(.string("x"))), ("a", .byte(2))])
    #expect(value.asProperties == ["a": .byte(2), "b": .string("x")])
    #expect(DBusValue.strings([]).asProperties == nil)
  }
}
