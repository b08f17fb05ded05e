/// Writes values as JSON without white space.
@safe package struct JSONObjectWriter: JSONVisitor {
  package typealias Failure = Never
  package static var isWriter: Bool { true }

  private var buffer: UnsafeMutableBufferPointer<UInt8>
  private var count = 0
  private var isFirst = true
  package private(set) var isVisited = false

  /// Call `finish` once.
  init() { unsafe buffer = .allocate(capacity: 256) }

  /// Returns the bytes that were written.
  consuming func finish() -> [UInt8] {
    defer { unsafe buffer.deallocate() }
    return unsafe Array(buffer[..<count])
  }

  mutating func endLine() { append("\n") }

  private mutating func open(_ bracket: Unicode.Scalar) {
    append(bracket)
    isFirst = true
  }

  private mutating func close(_ bracket: Unicode.Scalar) {
    append(bracket)
    isFirst = false
  }

  package mutating func number<Number: FixedWidthInteger & Decodable>(_ number: Number?) -> Number {
    if number! < 0 { append("-") }
    append(UInt(number!.magnitude))
    return number!
  }

  package mutating func text(_ text: String?) -> String {
    quote(text!)
    return text!
  }

  package func isText(_ isWritten: Bool) -> Bool { isWritten }

  package mutating func flag(_ flag: Bool?) -> Bool {
    append(text: flag! ? "true" : "false")
    return flag!
  }

  package mutating func raw<Value: JSONRaw>(_ value: Value?) -> Value {
    _ = Value.RawValue.visit(&self, value!.rawValue)
    return value!
  }

  package mutating func coded<Value: JSONCoded>(_ value: Value?) -> Value {
    unsafe Array(JSONLine.data(value!)).withUnsafeBufferPointer { unsafe append(bytes: $0) }
    return value!
  }

  package mutating func list<Element: JSONValue>(_ list: [Element]?) -> [Element] {
    open("[")
    for element in list! {
      separate()
      _ = Element.visit(&self, element)
    }
    close("]")
    return list!
  }

  package mutating func object<Value: JSONObject>(_ value: Value?) -> Value {
    object { _ = Value.fields(&$0, value) }
    return value!
  }

  mutating func object(_ write: (inout Self) -> Void) {
    open("{")
    write(&self)
    close("}")
  }

  package mutating func message<Message: JSONMessage>(_ message: Message?) -> Message {
    write(message!)
    return message!
  }

  mutating func write<Message: JSONMessage>(_ message: Message) {
    open("{")
    isVisited = false
    var read: Message?
    Message.variants(&self, message, &read)
    close("}")
    close("}")
  }

  package mutating func field<Value: JSONValue>(_ key: StaticString, _ value: Value?) -> Value {
    name(key)
    return Value.visit(&self, value)
  }

  package mutating func optional<Value: JSONValue>(_ key: StaticString, _ value: Value?) -> Value? {
    guard let value else { return nil }
    return field(key, value)
  }

  package mutating func isVariant(_ name: StaticString, _ isWritten: Bool) -> Bool {
    guard isWritten else { return false }
    self.name(name)
    open("{")
    isVisited = true
    return true
  }

  package mutating func keep<Message: JSONMessage>(_ message: Message, in read: inout Message?) {}

  private mutating func separate() {
    if !isFirst { append(",") }
    isFirst = false
  }

  private mutating func name(_ key: StaticString) {
    separate()
    append("\"")
    append(text: key)
    append("\"")
    append(":")
  }

  /// The key of a member whose value is written next.
  mutating func name(_ key: String) {
    separate()
    quote(key)
    append(":")
  }

  private mutating func quote(_ text: String) {
    var text = text
    append("\"")
    text.withUTF8 { text in
      var start = 0
      for index in unsafe JSONEscape.plainCount(UnsafeRawBufferPointer(text))..<text.count {
        let byte = unsafe text[index]
        guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
        unsafe append(bytes: UnsafeBufferPointer(rebasing: text[start..<index]))
        start = index + 1
        escape(byte)
      }
      unsafe append(bytes: UnsafeBufferPointer(rebasing: text[start...]))
    }
    append("\"")
  }

  /// As `JSONEncoder` writes it.
  private mutating func escape(_ byte: UInt8) {
    append("\\")
    if let letter = JSONEscape.letters.first(where: { $0.byte == byte })?.letter { return append(byte: letter) }
    append(text: byte < 0x10 ? "u000" : "u001")
    let digit = byte & 0xF
    append(byte: digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
  }

  private mutating func append(_ magnitude: UInt) {
    if magnitude >= 10 { append(magnitude / 10) }
    append(byte: UInt8(ascii: "0") + UInt8(magnitude % 10))
  }

  private mutating func append(_ character: Unicode.Scalar) { append(byte: UInt8(ascii: character)) }

  private mutating func append(text: StaticString) {
    unsafe append(bytes: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  private mutating func append(byte: UInt8) {
    if unsafe count == buffer.count { grow(by: 1) }
    unsafe buffer[count] = byte
    count += 1
  }

  private mutating func append(bytes: UnsafeBufferPointer<UInt8>) {
    if unsafe count + bytes.count > buffer.count { grow(by: bytes.count) }
    _ = unsafe buffer[count...].update(fromContentsOf: bytes)
    count += bytes.count
  }

  private mutating func grow(by more: Int) {
    let larger = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 2 * (count + more))
    _ = unsafe larger.update(fromContentsOf: buffer[..<count])
    unsafe buffer.deallocate()
    unsafe buffer = larger
  }
}

/// The characters that have escapes of one letter, but for the solidus (RFC 8259, 7).
enum JSONEscape {
  /// How many bytes at the beginning need no second look, being of ASCII, no control characters and neither `"` nor
  /// `\\`: a multiple of eight, which are looked at together.
  static func plainCount(_ text: UnsafeRawBufferPointer) -> Int {
    let (ones, high): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
    var count = 0
    while count + 8 <= text.count {
      let word = unsafe text.loadUnaligned(fromByteOffset: count, as: UInt64.self)
      let (quotes, escapes) = (word ^ (0x22 &* ones), word ^ (0x5C &* ones))
      // Has the high bit of a byte that is another one.
      let found = word | (word &- 0x20 &* ones) | (quotes &- ones) | (escapes &- ones)
      guard found & high == 0 else { break }
      count += 8
    }
    return count
  }

  static let letters: [(byte: UInt8, letter: UInt8)] = [
    (0x08, UInt8(ascii: "b")), (0x09, UInt8(ascii: "t")), (0x0A, UInt8(ascii: "n")), (0x0C, UInt8(ascii: "f")),
    (0x0D, UInt8(ascii: "r")), (0x22, UInt8(ascii: "\"")), (0x5C, UInt8(ascii: "\\")),
  ]
}
