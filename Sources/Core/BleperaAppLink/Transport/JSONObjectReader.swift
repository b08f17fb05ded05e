import Glibc

/// Reads values from JSON whose keys may come in any order, those of `JSONObjectWriter` at once. Of a key that comes
/// twice the first counts, and unknown keys are ignored.
package struct JSONObjectReader: JSONVisitor {
  package typealias Failure = JSONLine.Fault
  package static var isWriter: Bool { false }
  package private(set) var isVisited = false

  /// The objects and lists in one another that are read.
  private static let maximumDepth = 512

  private let bytes: [UInt8]
  private var position = 0
  private var depth = 0
  /// Where the first member of the object that is read is.
  private var start = 0
  /// Whether an optional member was not at its place in the order of keys.
  private var hasMissed = false
  /// Whether a member was not the next one.
  private var hasJumped = false
  /// Whether optional members are looked for at any place.
  private var isThorough = false
  /// The key of the message that is read.
  private var key = Quoted(range: 0..<0)

  /// A text between its quotation marks.
  private struct Quoted {
    var range: Range<Int>
    var isASCII = true
    var hasEscape = false
  }

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Throws where anything follows.
  mutating func finish() throws(Failure) {
    skipSpace()
    guard position == bytes.count else { throw .invalid }
  }

  package mutating func object<Value: JSONObject>(_ value: Value?) throws(Failure) -> Value {
    try object { reader throws(Failure) in try Value.fields(&reader, nil) }
  }

  package mutating func object<Value>(_ read: (inout Self) throws(Failure) -> Value) throws(Failure) -> Value {
    let outer = (start, hasMissed, hasJumped, isThorough)
    try enter("{")
    start = position
    (hasMissed, hasJumped) = (false, false)
    var value = try read(&self)
    if hasMissed, !isThorough, hasJumped || !isAt("}") {
      (position, isThorough) = (start, true)
      value = try read(&self)
    }
    while try nextKey() != nil { try skip() }
    leave()
    (start, hasMissed, hasJumped, isThorough) = outer
    return value
  }

  /// Visits the members of an object that are not null in the order in which they come.
  ///
  /// - Parameter read: reads the value of a key; returns false for one that is ignored.
  mutating func members(_ read: (inout Self, String) throws(Failure) -> Bool) throws(Failure) {
    try object { reader throws(Failure) in
      while let key = try reader.nextKey() {
        let text = reader.bytes[key.range]
        let name = key.hasEscape ? try Self.unescaped(text) : String(decoding: text, as: UTF8.self)
        if reader.word("null") { continue }
        do throws(Failure) {
          if try !read(&reader, name) { try reader.skip() }
        } catch {
          throw error.within(".\(name)")
        }
      }
    }
  }

  package mutating func message<Message: JSONMessage>(_ message: Message?) throws(Failure) -> Message {
    try object { reader throws(Failure) in
      var found: Message?
      while let key = try reader.nextKey() {
        guard let visited: Message = try reader.variant(key) else { continue }
        guard found == nil else { throw .notOneCase }
        found = visited
      }
      guard let found else { throw .notOneCase }
      // An enclosing message has found its case, so its other cases are no longer compared.
      reader.isVisited = true
      return found
    }
  }

  /// The case with the key; nil for a key that is unknown.
  private mutating func variant<Message: JSONMessage>(_ key: Quoted) throws(Failure) -> Message? {
    guard isAt("{") else {
      try skip()
      return nil
    }
    do throws(Failure) {
      return try object { reader throws(Failure) in
        (reader.key, reader.isVisited) = (key, false)
        var read: Message?
        try Message.variants(&reader, .blank, &read)
        return read
      }
    } catch {
      throw error.within("." + String(decoding: bytes[key.range], as: UTF8.self))
    }
  }

  package mutating func isVariant(_ name: StaticString, _ isWritten: Bool) -> Bool {
    isVisited = isKey(key, name)
    return isVisited
  }

  package mutating func keep<Message: JSONMessage>(_ message: Message, in read: inout Message?) { read = message }

  package mutating func field<Value: JSONValue>(_ key: StaticString, _ value: Value?) throws(Failure) -> Value {
    guard try find(key) else { throw Failure("No value associated with key \"\(key)\".") }
    return try member(key)
  }

  package mutating func optional<Value: JSONValue>(_ key: StaticString, _ value: Value?) throws(Failure) -> Value? {
    guard try isThorough ? find(key) : isNext(key) else {
      hasMissed = true
      return nil
    }
    return try word("null") ? nil : member(key)
  }

  private mutating func member<Value: JSONValue>(_ key: StaticString) throws(Failure) -> Value {
    do throws(Failure) {
      return try Value.visit(&self, nil)
    } catch {
      throw error.within(".\(key)")
    }
  }

  /// Moves to the value of a member of the object; returns false where there is none.
  private mutating func find(_ name: StaticString) throws(Failure) -> Bool {
    if try isNext(name) { return true }
    let next = position
    position = start
    while let key = try nextKey() {
      if isKey(key, name) {
        hasJumped = true
        return true
      }
      try skip()
    }
    position = next
    return false
  }

  /// Moves to the value of the next member if that has the name.
  private mutating func isNext(_ name: StaticString) throws(Failure) -> Bool {
    let next = position
    // As `JSONObjectWriter` writes members, most of whose keys differ in their first character.
    let first = next == start ? next + 1 : next + 2
    if first < bytes.count, bytes[first - 1] == UInt8(ascii: "\""), next == start || bytes[next] == UInt8(ascii: ",") {
      if bytes[first] != (unsafe name.utf8Start[0]), bytes[first] != UInt8(ascii: "\\") { return false }
      let end = first + name.utf8CodeUnitCount
      if end + 1 < bytes.count, bytes[end] == UInt8(ascii: "\""), bytes[end + 1] == UInt8(ascii: ":"),
        matches(name, at: first)
      {
        position = end + 2
        return true
      }
    }
    if let key = try nextKey(), isKey(key, name) { return true }
    position = next
    return false
  }

  /// Moves to the value of the next member; returns nil at the end of the object.
  private mutating func nextKey() throws(Failure) -> Quoted? {
    skipSpace()
    guard position < bytes.count else { throw .invalid }
    if bytes[position] == UInt8(ascii: "}") { return nil }
    guard position == start || take(",") else { throw .invalid }
    let key = try quoted()
    guard take(":") else { throw .invalid }
    return key
  }

  private func isKey(_ key: Quoted, _ name: StaticString) -> Bool {
    guard !key.hasEscape else { return (try? Self.unescaped(bytes[key.range])) == "\(name)" }
    return key.range.count == name.utf8CodeUnitCount && matches(name, at: key.range.lowerBound)
  }

  /// Whether the word is there, which is not beyond the end.
  private func matches(_ word: StaticString, at start: Int) -> Bool {
    unsafe bytes.withUnsafeBufferPointer {
      unsafe memcmp($0.baseAddress! + start, word.utf8Start, word.utf8CodeUnitCount) == 0
    }
  }

  /// Whether what follows is an object with the key.
  func has(_ name: StaticString) -> Bool {
    var object = self
    guard object.take("{") else { return false }
    object.skipSpace()
    object.start = object.position
    return (try? object.find(name)) ?? false
  }

  package mutating func list<Element: JSONValue>(_ list: [Element]?) throws(Failure) -> [Element] {
    var elements: [Element] = []
    try self.list { reader throws(Failure) in
      do throws(Failure) {
        elements.append(try Element.visit(&reader, nil))
      } catch {
        throw error.within("[\(elements.count)]")
      }
    }
    return elements
  }

  private mutating func list(_ read: (inout Self) throws(Failure) -> Void) throws(Failure) {
    try enter("[")
    if !isAt("]") {
      repeat { try read(&self) } while take(",")
    }
    guard isAt("]") else { throw .invalid }
    leave()
  }

  private mutating func enter(_ bracket: Unicode.Scalar) throws(Failure) {
    guard take(bracket) else {
      // Throws.
      if bracket == "{" { _ = try decoded([String: Int].self) } else { _ = try decoded([Int].self) }
      throw .invalid
    }
    skipSpace()
    depth += 1
    guard depth <= Self.maximumDepth else { throw Failure("Too many nested arrays or dictionaries.") }
  }

  private mutating func leave() {
    position += 1
    depth -= 1
  }

  package mutating func text(_ text: String?) throws(Failure) -> String {
    guard isAt("\"") else { return try decoded(String.self) }
    let quoted = try quoted()
    if quoted.hasEscape { return try Self.unescaped(bytes[quoted.range]) }
    let text = unsafe bytes.withUnsafeBufferPointer { bytes in
      let text = unsafe UnsafeBufferPointer(rebasing: bytes[quoted.range])
      return quoted.isASCII
        ? unsafe String(decoding: text, as: UTF8.self) : unsafe String(validating: text, as: UTF8.self)
    }
    guard let text else { throw .invalid }
    return text
  }

  /// Moves beyond a text.
  private mutating func quoted() throws(Failure) -> Quoted {
    guard take("\"") else { throw .invalid }
    let start = position
    let found = unsafe bytes.withUnsafeBufferPointer { bytes -> (end: Int, all: UInt8, hasEscape: Bool)? in
      var (all, hasEscape) = (UInt8(0), false)
      var end =
        unsafe start + JSONEscape.plainCount(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[start...]))
      while end < bytes.count {
        let byte = unsafe bytes[end]
        if byte == UInt8(ascii: "\"") { return (end, all, hasEscape) }
        if byte < 0x20 { return nil }
        if byte == UInt8(ascii: "\\") {
          hasEscape = true
          end += 1
        }
        all |= byte
        end += 1
      }
      return nil
    }
    guard let (end, all, hasEscape) = found else { throw .invalid }
    let range = start..<end
    position = end + 1
    return Quoted(range: range, isASCII: all < 0x80, hasEscape: hasEscape)
  }

  package mutating func number<Number: FixedWidthInteger & Decodable>(_ number: Number?) throws(Failure) -> Number {
    skipSpace()
    let isNegative = position < bytes.count && bytes[position] == UInt8(ascii: "-")
    let first = isNegative ? position + 1 : position
    var end = first
    var digits = 0
    while end < bytes.count, case let digit = bytes[end] &- UInt8(ascii: "0"), digit < 10, end - first < 18 {
      digits = digits * 10 + Int(digit)
      end += 1
    }
    // With a fraction, an exponent, more digits or a digit 0 before others, JSONDecoder decides.
    if end == first + 1 || end > first && bytes[first] != UInt8(ascii: "0"), end < bytes.count,
      case let next = bytes[end], next == UInt8(ascii: ",") || next == UInt8(ascii: "]") || next == UInt8(ascii: "}"),
      let number = Number(exactly: isNegative ? -digits : digits)
    {
      position = end
      return number
    }
    return try decoded(Number.self)
  }

  package mutating func isText(_ isWritten: Bool) -> Bool { isAt("\"") }

  package mutating func flag(_ flag: Bool?) throws(Failure) -> Bool {
    if word("true") { return true }
    return word("false") ? false : try decoded(Bool.self)
  }

  package mutating func raw<Value: JSONRaw>(_ value: Value?) throws(Failure) -> Value {
    let raw = try Value.RawValue.visit(&self, nil)
    guard let value = Value(rawValue: raw) else {
      throw Failure("Cannot initialize \(Value.self) from invalid \(Value.RawValue.self) value \(raw)")
    }
    return value
  }

  package mutating func coded<Value: JSONCoded>(_ value: Value?) throws(Failure) -> Value { try decoded(Value.self) }

  /// A value as `JSONDecoder` reads it, which also says why a value is not of its type.
  private mutating func decoded<Value: Decodable>(_ type: Value.Type) throws(Failure) -> Value {
    skipSpace()
    let start = position
    try skip()
    return try JSONLine.decode(type, bytes[start..<position])
  }

  /// Moves beyond a value.
  private mutating func skip() throws(Failure) {
    if isAt("\"") {
      _ = try quoted()
    } else if isAt("{") {
      try object { _ throws(Failure) in }
    } else if isAt("[") {
      try list { reader throws(Failure) in try reader.skip() }
    } else {
      let start = position
      while position < bytes.count, !",]}".utf8.contains(bytes[position]), bytes[position] > 0x20 { position += 1 }
      guard position > start else { throw .invalid }
    }
  }

  private mutating func word(_ word: StaticString) -> Bool {
    skipSpace()
    let end = position + word.utf8CodeUnitCount
    guard end <= bytes.count, matches(word, at: position) else { return false }
    position = end
    return true
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard isAt(character) else { return false }
    position += 1
    return true
  }

  @inline(__always)
  private mutating func isAt(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    return position < bytes.count && bytes[position] == UInt8(ascii: character)
  }

  @inline(__always)
  private mutating func skipSpace() { if position < bytes.count, bytes[position] <= 0x20 { skipSpaces() } }

  private mutating func skipSpaces() {
    while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
  }
}
