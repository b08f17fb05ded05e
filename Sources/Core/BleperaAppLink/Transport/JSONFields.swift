/// A value that is written as JSON and read from it through one description, `visit`.
package protocol JSONValue: Sendable {
  /// Visits the value's parts, those of an object in alphabetical order of their keys.
  ///
  /// - Parameter value: what is written; nil while reading.
  /// - Returns: what was written or read.
  static func visit<V: JSONVisitor>(_ visitor: inout V, _ value: Self?) throws(V.Failure) -> Self

  /// The schema's note on every value of the type (`JSONVisitor.note`).
  static var note: JSONTree { get }
}

extension JSONValue {
  package static var note: JSONTree { [:] }
}

/// A visitor of descriptions of values: a writer or a reader; in tests also one that writes the schema.
package protocol JSONVisitor {
  associatedtype Failure: Error

  mutating func number<Number: FixedWidthInteger & Decodable>(_ number: Number?) throws(Failure) -> Number
  mutating func text(_ text: String?) throws(Failure) -> String
  /// Whether a value that may be a text is one.
  ///
  /// - Parameter isWritten: while writing, whether the value is a text.
  mutating func isText(_ isWritten: Bool) -> Bool
  mutating func flag(_ flag: Bool?) throws(Failure) -> Bool
  mutating func raw<Value: JSONRaw>(_ value: Value?) throws(Failure) -> Value
  /// A value that `Codable` describes.
  mutating func coded<Value: JSONCoded>(_ value: Value?) throws(Failure) -> Value
  mutating func list<Element: JSONValue>(_ list: [Element]?) throws(Failure) -> [Element]
  mutating func object<Value: JSONObject>(_ value: Value?) throws(Failure) -> Value
  mutating func message<Message: JSONMessage>(_ message: Message?) throws(Failure) -> Message

  /// A member of an object.
  mutating func field<Value: JSONValue>(_ key: StaticString, _ value: Value?) throws(Failure) -> Value
  /// A member that is absent, or null, where there is no value.
  mutating func optional<Value: JSONValue>(_ key: StaticString, _ value: Value?) throws(Failure) -> Value?

  /// Whether what is visited is written.
  static var isWriter: Bool { get }
  /// Whether the message that is visited has another case than the next one.
  var isVisited: Bool { get }
  /// Whether the case of a message is visited next.
  ///
  /// - Parameter isWritten: while writing, whether the message is of this case.
  mutating func isVariant(_ name: StaticString, _ isWritten: Bool) -> Bool
  /// Keeps a message that was read.
  mutating func keep<Message: JSONMessage>(_ message: Message, in read: inout Message?)

  /// Says more of the member or the case that is visited next than its type does, for the schema in docs/schema: a text
  /// is the description, an object has keywords of JSON Schema.
  mutating func note(_ note: @autoclosure () -> JSONTree)
}

extension JSONVisitor {
  @inline(__always)
  package mutating func note(_ note: @autoclosure () -> JSONTree) {}

  /// A member of an object, with a note on it.
  @inline(__always)
  mutating func field<Value: JSONValue>(
    _ key: StaticString, _ value: Value?, _ note: @autoclosure () -> JSONTree
  ) throws(Failure) -> Value {
    self.note(note())
    return try field(key, value)
  }

  /// A member that may be absent, with a note on it.
  @inline(__always)
  mutating func optional<Value: JSONValue>(
    _ key: StaticString, _ value: Value?, _ note: @autoclosure () -> JSONTree
  ) throws(Failure) -> Value? {
    self.note(note())
    return try optional(key, value)
  }

  /// A member of an object, in its place: written, or replaced by what is read.
  @inline(__always)
  mutating func field<Value: JSONValue>(_ key: StaticString, in value: inout Value) throws(Failure) {
    let visited = try field(key, value)
    if !Self.isWriter { value = visited }
  }

  /// A member that may be absent, in its place.
  @inline(__always)
  mutating func optional<Value: JSONValue>(_ key: StaticString, in value: inout Value?) throws(Failure) {
    let visited = try optional(key, value)
    if !Self.isWriter { value = visited }
  }

  /// A case of a message, an object under the case's name.
  ///
  /// - Parameters:
  ///   - message: what is written; any while reading.
  ///   - read: the message, once its case was read.
  ///   - payload: what the case carries; nil for another case.
  ///   - fields: visits what the case carries.
  @inline(__always)
  mutating func variant<Message: JSONMessage, Payload>(
    _ name: StaticString, _ message: Message, _ read: inout Message?, _ payload: (Message) -> Payload?,
    _ fields: (inout Self, Payload?) throws(Failure) -> Message
  ) throws(Failure) {
    guard !isVisited else { return }
    let payload = Self.isWriter ? payload(message) : nil
    if isVariant(name, payload != nil) { keep(try fields(&self, payload), in: &read) }
  }

  /// A case that carries one value.
  @inline(__always)
  mutating func variant<Message: JSONMessage, Value: JSONValue>(
    _ name: StaticString, _ key: StaticString, _ message: Message, _ read: inout Message?,
    _ make: (Value) -> Message, _ note: @autoclosure () -> JSONTree = [:], _ payload: (Message) -> Value?
  ) throws(Failure) {
    try variant(name, message, &read, payload, { v, it throws(Failure) in make(try v.field(key, it, note())) })
  }

  /// A case that carries nothing.
  @inline(__always)
  mutating func variant<Message: JSONMessage & Equatable>(
    _ name: StaticString, _ value: Message, _ message: Message, _ read: inout Message?
  ) {
    guard !isVisited else { return }
    if isVariant(name, Self.isWriter && message == value) { keep(value, in: &read) }
  }
}

/// A value that is an object.
package protocol JSONObject: JSONLineWritable, JSONLineReadable, JSONValue {
  static func fields<V: JSONVisitor>(_ visitor: inout V, _ value: Self?) throws(V.Failure) -> Self
}

/// A value that is an object with one member, whose key is the name of a case.
package protocol JSONMessage: JSONLineWritable, JSONLineReadable, JSONValue {
  /// A placeholder for the message while it is read.
  static var blank: Self { get }

  static func variants<V: JSONVisitor>(_ v: inout V, _ it: Self, _ read: inout Self?) throws(V.Failure)
}

/// A value that is written as its raw value.
package protocol JSONRaw: JSONValue, RawRepresentable where RawValue: JSONValue {}

/// A value that `Codable` describes, for those in few messages.
package protocol JSONCoded: JSONValue, Codable {}

/// A value that is written as a line of JSON.
package protocol JSONLineWritable: Sendable {
  func write(to object: inout JSONObjectWriter)
}

/// A value that is read from a line of JSON.
package protocol JSONLineReadable: Sendable {
  init(reading object: inout JSONObjectReader) throws(JSONLine.Fault)
}

package typealias JSONLineValue = JSONLineWritable & JSONLineReadable

extension JSONValue {
  package func write(to object: inout JSONObjectWriter) { _ = Self.visit(&object, self) }

  package init(reading object: inout JSONObjectReader) throws(JSONLine.Fault) { self = try Self.visit(&object, nil) }
}

extension JSONObject {
  package static func visit<V: JSONVisitor>(_ visitor: inout V, _ value: Self?) throws(V.Failure) -> Self {
    try visitor.object(value)
  }
}

extension JSONMessage {
  package func write(to object: inout JSONObjectWriter) { object.write(self) }

  package static func visit<V: JSONVisitor>(_ visitor: inout V, _ value: Self?) throws(V.Failure) -> Self {
    try visitor.message(value)
  }
}

extension JSONRaw {
  package static func visit<V: JSONVisitor>(_ visitor: inout V, _ value: Self?) throws(V.Failure) -> Self {
    try visitor.raw(value)
  }
}

extension JSONCoded {
  package static func visit<V: JSONVisitor>(_ visitor: inout V, _ value: Self?) throws(V.Failure) -> Self {
    try visitor.coded(value)
  }
}

extension JSONValue where Self: FixedWidthInteger & Decodable {
  package static func visit<V: JSONVisitor>(_ visitor: inout V, _ value: Self?) throws(V.Failure) -> Self {
    try visitor.number(value)
  }
}

extension Int: JSONValue {}
extension UInt8: JSONValue {}
extension UInt16: JSONValue {}
extension UInt64: JSONValue {}

extension String: JSONValue {
  package static func visit<V: JSONVisitor>(_ visitor: inout V, _ value: String?) throws(V.Failure) -> String {
    try visitor.text(value)
  }
}

extension Bool: JSONValue {
  package static func visit<V: JSONVisitor>(_ visitor: inout V, _ value: Bool?) throws(V.Failure) -> Bool {
    try visitor.flag(value)
  }
}

extension Array: JSONValue where Element: JSONValue {
  package static func visit<V: JSONVisitor>(_ visitor: inout V, _ value: [Element]?) throws(V.Failure) -> [Element] {
    try visitor.list(value)
  }
}
