import BusTesting
import Testing

@testable import BleperaDBus

@Suite("Limits of a message")
struct MessageLimitsTests {
  private static let descriptor = UnixFileDescriptor(owning: 0x7FFF_FFFF)

  @Test(
    "A body is as long as its values with the padding between them",
    arguments: [
      ([], 0), ([.byte(1)], 1), ([.byte(1), .int16(1)], 4), ([.byte(1), .uint16(1)], 4), ([.byte(1), .int32(1)], 8),
      ([.byte(1), .uint32(1)], 8), ([.byte(1), .boolean(true)], 8), ([.byte(1), .int64(1)], 16),
      ([.byte(1), .uint64(1)], 16), ([.byte(1), .double(1)], 16), ([.unixFD(descriptor)], 4),
      // 4 of length, the text, a zero byte
      ([.string("")], 5), ([.string("hello")], 10), ([.string("é")], 7), ([.string("a"), .string("")], 13),
      // up to its first zero byte
      ([.string("a\0bc")], 6), ([.string("\0")], 5), ([.properties([("a\0b", .byte(1))])], 18),
      ([.objectPath("/a")], 7), ([.byte(1), .objectPath("/")], 10),
      // 1 of length, the text, a zero byte
      ([.signature("a{sv}")], 7), ([.byte(1), .signature("")], 3),
      ([.bytes([])], 4), ([.bytes([1, 2, 3])], 7), ([.byte(1), .bytes([1])], 9),
      // the padding before the first element is there even when no element is
      ([made(.uint64, [])], 8), ([made(.uint64, [.uint64(1)])], 16), ([made(.uint16, [.uint16(1)])], 6),
      ([.byte(0), made(.uint64, [])], 8), ([.uint32(0), .byte(0), made(.uint64, [])], 16),
      ([.strings(["a", "bc"])], 19), ([made(.array(.byte), [.bytes([1]), .bytes([2, 3])])], 18),
      ([.structure([.byte(1), .uint32(1)])], 8), ([.byte(1), .structure([.byte(1)])], 9),
      ([made(.structure([.byte]), [.structure([.byte(1)]), .structure([.byte(1)])])], 17),
      // 3 of signature, then the value at its own alignment
      ([.variant(.byte(1))], 4), ([.variant(.uint32(1))], 8), ([.variant(.string("a"))], 10),
      ([.variant(.uint64(1))], 16), ([.variant(.structure([.byte(1)]))], 9), ([.variant(.variant(.byte(1)))], 7),
      ([.properties([])], 8), ([.properties([("a", .byte(1))])], 18), ([.properties([("a", .uint32(1))])], 24),
      ([.properties([("a", .byte(1)), ("b", .byte(1))])], 34),
    ] as [([DBusValue], Int)])
  func sizes(body: [DBusValue], length: Int) throws {
    #expect(try MessageLimits.check(body: body) == length)
  }

  @Test(
    "Nesting ends at 32 arrays, 32 structures and 64 containers",
    arguments: [
      ([arrays(32)], nil), ([arrays(33)], .nestedTooDeeply),
      ([structures(32)], nil), ([structures(33)], .nestedTooDeeply), ([structures(1000)], .nestedTooDeeply),
      ([variants(64)], nil), ([variants(65)], .nestedTooDeeply), ([variants(1000)], .nestedTooDeeply),
      ([variants(32, around: structures(32))], nil), ([variants(33, around: structures(32))], .nestedTooDeeply),
      ([variants(62, around: .properties([]))], nil), ([variants(63, around: .properties([]))], .nestedTooDeeply),
      ([variants(61, around: .properties([("a", .byte(1))]))], nil),
      ([variants(62, around: .properties([("a", .byte(1))]))], .nestedTooDeeply),
      ([.variant(arrays(33))], .nestedTooDeeply),
    ] as [([DBusValue], MessageRefusal.Code?)])
  func nesting(body: [DBusValue], code: MessageRefusal.Code?) { expectRefusal(code, body) }

  @Test(
    "What libdbus-1 would abort over is refused",
    arguments: [
      ([.structure([])], .emptyStructure), ([.variant(.structure([]))], .emptyStructure),
      ([made(.structure([]), [])], .emptyStructure),
      ([made(.dictionary(key: .variant, value: .byte), [])], .keyNotBasic),
      ([DBusValue](repeating: .byte(0), count: 255), nil),
      ([DBusValue](repeating: .byte(0), count: 256), .signatureTooLong),
      ([.structure([DBusValue](repeating: .byte(0), count: 254))], .signatureTooLong),
      ([.variant(.structure([DBusValue](repeating: .byte(0), count: 253)))], nil),
      ([.variant(.structure([DBusValue](repeating: .byte(0), count: 254)))], .signatureTooLong),
      ([DBusValue](repeating: .unixFD(descriptor), count: 16), nil),
      ([made(.unixFD, [DBusValue](repeating: .unixFD(descriptor), count: 17))], .tooManyFileDescriptors),
      ([.unixFD(UnixFileDescriptor(owning: -1))], .invalidFileDescriptor),
    ] as [([DBusValue], MessageRefusal.Code?)])
  func contents(body: [DBusValue], code: MessageRefusal.Code?) { expectRefusal(code, body) }

  @Test("An array ends at 64 MiB and a message at 128 MiB")
  func lengths() {
    let half = DBusValue.bytes([UInt8](repeating: 0, count: 1 << 25))
    let whole = DBusValue.bytes([UInt8](repeating: 0, count: 1 << 26))
    expectRefusal(nil, [whole])
    expectRefusal(.arrayTooLong, [.bytes([UInt8](repeating: 0, count: 1 << 26 + 1))])
    expectRefusal(.arrayTooLong, [Self.made(.array(.byte), [half, half])])
    expectRefusal(nil, [half, half, half])
    expectRefusal(.messageTooLong, [whole, whole])
    let rest = DBusValue.bytes([UInt8](repeating: 0, count: 1 << 26 - 8 - 1024))
    expectRefusal(nil, [whole, rest])
    expectRefusal(.messageTooLong, [whole, rest, .byte(0)])
  }

  @Test("A whole message is refused for its path, its interface and its serial")
  func messages() {
    let call = MethodCall(destination: "org.bluez", path: "/a", interface: "org.bluez.A", member: "B")
    #expect(throws: Never.self) { try MessageLimits.check(.methodCall(call)) }
    var reserved = call
    reserved.interface = .local
    expectRefusal(.reservedName, .methodCall(reserved))
    expectRefusal(.reservedName, .signal(Signal(path: .local, interface: "a.b", member: "C")))
    expectRefusal(.noReplySerial, .methodReturn(MethodReturn(destination: nil, replySerial: 0)))
  }

  @Test("A header is not longer than its estimate")
  func headers() {
    // libdbus-1 1.14 marshals this one's header in 96 bytes, before the bus adds the sender
    let call = MethodCall(destination: "org.bluez", path: "/a", interface: "org.bluez.A", member: "B")
    #expect((96 + 264...1024).contains(Message.methodCall(call).headerLength))
  }

  @Test("A refusal is one whole sentence")
  func sentence() {
    let error = #expect(throws: MessageRefusal.self) { try MessageLimits.check(body: [Self.variants(65)]) }
    #expect(error?.cause == "65 containers in one another")
    #expect(
      error?.description == """
        The message was not sent because it has 65 containers in one another, and D-Bus allows 32 arrays, 32 \
        structures and 64 containers with variants in one another.
        """)
  }

  private func expectRefusal(_ code: MessageRefusal.Code?, _ body: [DBusValue]) {
    #expect(Self.refusal { () throws(MessageRefusal) in try MessageLimits.check(body: body) } == code)
  }

  private func expectRefusal(_ code: MessageRefusal.Code?, _ message: Message) {
    #expect(Self.refusal { () throws(MessageRefusal) in try MessageLimits.check(message) } == code)
  }

  private static func refusal(_ check: () throws(MessageRefusal) -> Int) -> MessageRefusal.Code? {
    do throws(MessageRefusal) {
      _ = try check()
      return nil
    } catch {
      return error.code
    }
  }

  private static func made(_ type: DBusType, _ elements: [DBusValue]) -> DBusValue {
    DBusValueTests.made(type, elements)
  }

  /// An empty array in arrays, `depth` of them.
  private static func arrays(_ depth: Int) -> DBusValue {
    made((1..<depth).reduce(.string) { type, _ in .array(type) }, [])
  }

  private static func structures(_ depth: Int) -> DBusValue {
    (0..<depth).reduce(.byte(0)) { value, _ in .structure([value]) }
  }

  private static func variants(_ depth: Int, around value: DBusValue = .byte(0)) -> DBusValue {
    (0..<depth).reduce(value) { value, _ in .variant(value) }
  }
}
