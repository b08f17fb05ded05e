import BleperaBluetooth

@testable import BleperaAppLink

/// Writes the schemas of values from the descriptions by which they are written and read: visits each as a reader does
/// that finds every member and every case.
struct SchemaVisitor: JSONVisitor {
  typealias Failure = Never
  static var isWriter: Bool { false }
  var isVisited: Bool { false }

  /// The schemas of the types that were visited, by the names of the types.
  var definitions: [String: JSONTree] = [:]
  /// The schema of what was visited last.
  private(set) var schema: JSONTree = [:]

  private var members: [JSONTree.Member] = []
  private var required: [String] = []
  private var variants: [JSONTree.Member] = []
  private var variant: (name: String, note: JSONTree) = ("", [:])
  private var pending: JSONTree = [:]
  private var canBeText = false

  /// Visits a type; the schema of one with a name is a reference to its definition.
  @discardableResult
  mutating func visit<Value: JSONValue>(_ type: Value.Type) -> Value {
    // Option sets are numbers in some messages and names in others.
    if type is any Unnamed.Type || type is any NamedOptions.Type { return Value.visit(&self, nil) }
    return define(type, Value.note) { Value.visit(&$0, nil) }
  }

  private mutating func define<Value>(
    _ type: Value.Type, _ note: JSONTree, _ visit: (inout Self) -> Value
  ) -> Value {
    let name = String(reflecting: type).split(separator: ".").dropFirst().joined(separator: ".")
    let outer = (members, required, variants, variant, canBeText)
    (members, required, variants, canBeText) = ([], [], [], false)
    let value = visit(&self)
    definitions[name] = schema.with(note)
    (members, required, variants, variant, canBeText) = outer
    schema = Self.reference(name)
    return value
  }

  static func reference(_ name: String) -> JSONTree { ["$ref": .text("#/$defs/\(name)")] }

  static func object(_ members: [JSONTree.Member], required: [String]) -> JSONTree {
    var schema: JSONTree = ["type": "object"]
    if !members.isEmpty { schema = schema.with(["properties": .object(members)]) }
    if !required.isEmpty { schema = schema.with(["required": .list(required.map { .text($0) })]) }
    return schema.with(["additionalProperties": false])
  }

  // MARK: Values

  mutating func number<Number: FixedWidthInteger & Decodable>(_ number: Number?) -> Number {
    schema = ["type": canBeText ? ["string", "integer"] : "integer"]
    if Number.bitWidth < Int.bitWidth {
      schema = schema.with(["minimum": .number(Int(Number.min)), "maximum": .number(Int(Number.max))])
    }
    return 0
  }

  /// A UUID, as any text must be that is one.
  mutating func text(_ text: String?) -> String {
    schema = ["type": "string"]
    return "180D"
  }

  mutating func isText(_ isWritten: Bool) -> Bool {
    canBeText = true
    return false
  }

  mutating func flag(_ flag: Bool?) -> Bool {
    schema = ["type": "boolean"]
    return false
  }

  mutating func raw<Value: JSONRaw>(_ value: Value?) -> Value {
    func all<Case: CaseIterable>(_ type: Case.Type) -> [Value] { type.allCases.compactMap { $0 as? Value } }
    if let cases = (Value.self as? any CaseIterable.Type).map({ all($0) }) {
      schema = ["enum": .list(cases.map { Self.tree($0.rawValue) })]
      return cases[0]
    }
    return Value(rawValue: Value.RawValue.visit(&self, nil))!
  }

  private static func tree(_ raw: Any) -> JSONTree {
    if let number = raw as? Int { .number(number) } else { .text("\(raw)") }
  }

  mutating func coded<Value: JSONCoded>(_ value: Value?) -> Value { decode(Value.self) }

  mutating func list<Element: JSONValue>(_ list: [Element]?) -> [Element] {
    visit(Element.self)
    closeList(of: Element.self)
    return []
  }

  private mutating func closeList(of element: Any.Type) {
    let list: JSONTree = ["type": "array", "items": schema]
    schema = list
    guard element == UInt8.self else { return }
    definitions["Bytes"] = list
    schema = Self.reference("Bytes")
  }

  mutating func object<Value: JSONObject>(_ value: Value?) -> Value {
    let value = Value.fields(&self, nil)
    schema = Self.object(members, required: required)
    return value
  }

  mutating func message<Message: JSONMessage>(_ message: Message?) -> Message {
    var read: Message?
    Message.variants(&self, .blank, &read)
    schema = Self.object(variants, required: []).with(["minProperties": 1, "maxProperties": 1])
    return .blank
  }

  // MARK: Members and cases

  mutating func note(_ note: @autoclosure () -> JSONTree) { pending = note() }

  mutating func field<Value: JSONValue>(_ key: StaticString, _ value: Value?) -> Value {
    member("\(key)", isRequired: true) { $0.visit(Value.self) }
  }

  mutating func optional<Value: JSONValue>(_ key: StaticString, _ value: Value?) -> Value? {
    _ = member("\(key)", isRequired: false) { $0.visit(Value.self) }
    return nil
  }

  private mutating func member<Value>(_ key: String, isRequired: Bool, _ visit: (inout Self) -> Value) -> Value {
    let note = take()
    let value = visit(&self)
    members.append(JSONTree.Member(key, schema.with(note)))
    if isRequired { required.append(key) }
    return value
  }

  private mutating func take() -> JSONTree {
    defer { pending = [:] }
    return pending
  }

  mutating func isVariant(_ name: StaticString, _ isWritten: Bool) -> Bool {
    (variant, members, required) = (("\(name)", take()), [], [])
    return true
  }

  mutating func keep<Message: JSONMessage>(_ message: Message, in read: inout Message?) {
    let content = Self.object(members, required: required).with(variant.note)
    variants.append(JSONTree.Member(variant.name, content))
  }

  // MARK: Types that Codable describes

  /// Visits a type as its `init(from:)` reads it.
  mutating func decode<Value: Decodable>(_ type: Value.Type) -> Value {
    let decoder = SchemaDecoder(self)
    let value = try! Value(from: decoder)
    self = decoder.visitor
    if decoder.isObject { schema = Self.object(members, required: required) }
    return value
  }

  mutating func decodeMember<Value: Decodable>(_ key: String, isRequired: Bool) -> Value {
    member(key, isRequired: isRequired) { $0.visitDecodable(Value.self) }
  }

  mutating func decodeElement<Value: Decodable>() -> Value {
    defer { closeList(of: Value.self) }
    return visitDecodable(Value.self)
  }

  mutating func visitDecodable<Value: Decodable>(_ type: Value.Type) -> Value {
    switch type {
    case is Double.Type:
      schema = ["type": "number"]
      return 0.0 as! Value
    case is [String: String].Type:
      schema = ["type": "object", "additionalProperties": ["type": "string"]]
      return [String: String]() as! Value
    case let options as any NamedOptions.Type:
      schema = ["type": "array", "items": ["enum": .list(Self.names(options))]]
      return options.init(rawValue: 0) as! Value
    case is any Listed.Type: return decode(type)
    case let described as any JSONValue.Type: return visit(described) as! Value
    default: return define(type, [:]) { $0.decode(type) }
    }
  }

  private static func names<Options: NamedOptions>(_ type: Options.Type) -> [JSONTree] {
    type.names.map { .text($0.name) }
  }
}

/// A type whose schema stands where it is used.
private protocol Unnamed: JSONValue {}
private protocol Listed {}
extension Int: Unnamed {}
extension UInt8: Unnamed {}
extension UInt16: Unnamed {}
extension String: Unnamed {}
extension Bool: Unnamed {}
extension Array: Unnamed where Element: JSONValue {}
extension Array: Listed {}
