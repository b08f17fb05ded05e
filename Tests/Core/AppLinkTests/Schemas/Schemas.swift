import BleperaBluetooth
import TestSupport
import Testing

@testable import BleperaAppLink

/// A file of docs/schema that is generated.
struct GeneratedSchema: CustomTestStringConvertible, Sendable {
  let name: String
  let schema: JSONTree

  var testDescription: String { name }

  static let all = [
    GeneratedSchema(
      name: "applink-app", schema: message(AppMessage.self, "A message of an app to the phone, on AppLink")),
    GeneratedSchema(
      name: "applink-phone", schema: message(PhoneMessage.self, "A message of the phone to an app, on AppLink")),
    GeneratedSchema(name: "event", schema: event),
  ]

  private static func message<Message: JSONMessage>(_ type: Message.Type, _ title: String) -> JSONTree {
    var visitor = SchemaVisitor()
    visitor.visit(type)
    let message = visitor.definitions.removeValue(forKey: "\(type)")!
    return file(title, message, visitor.definitions)
  }

  private static func file(_ title: String, _ schema: JSONTree, _ definitions: [String: JSONTree]) -> JSONTree {
    let sorted = definitions.sorted { $0.key < $1.key }.map { JSONTree.Member($0.key, $0.value) }
    let head: JSONTree = ["$schema": "https://json-schema.org/draft/2020-12/schema", "title": .text(title)]
    return head.with(schema).with(["$defs": .object(sorted)])
  }

  // MARK: Events

  private static var event: JSONTree {
    var visitor = SchemaVisitor()
    for key in EventKey.allCases where key != .event {
      visitor.definitions[key.name] = visitor.schema(of: key.form).with(key.form.note).with(key.note)
    }
    visitor.definitions["anyEvent"] = ["properties": ["time": SchemaVisitor.reference("time")]]
    for (name, sides) in [("phoneEvent", ["phone"]), ("accessoryEvent", ["phone", "accessory"])] {
      visitor.definitions[name] = [
        "properties": [
          "phone": SchemaVisitor.reference("phone"),
          "side": SchemaVisitor.reference("side").with(["enum": .list(sides.map { .text($0) })]),
          "time": SchemaVisitor.reference("time"),
        ]
      ]
    }
    let common: JSONTree = ["type": "object", "required": ["event", "time"]]
    let kinds = common.with(["oneOf": .list(EventRecord.Kind.allCases.map(\.schema))])
    return file(
      "An event of a phone: a line of --json, of a trace, or of the control socket", kinds, visitor.definitions)
  }
}

extension EventRecord.Kind {
  fileprivate var schema: JSONTree {
    let (always, sometimes) = keys
    var properties: [JSONTree.Member] = [JSONTree.Member("event", ["const": .text(rawValue)])]
    for key in EventKey.allCases where always.contains(key) || sometimes.contains(key) {
      properties.append(JSONTree.Member(key.name, SchemaVisitor.reference(key.name).with(note(on: key))))
    }
    let required = EventKey.allCases.filter { always.contains($0) }.map { JSONTree.text($0.name) }
    var schema = SchemaVisitor.reference(base).with(["properties": .object(properties)])
    if !required.isEmpty { schema = schema.with(["required": .list(required)]) }
    return schema.with(["unevaluatedProperties": false])
  }

  private var base: String {
    if isOfHost || self == .eventsOmitted { return "anyEvent" }
    return Self.ofAccessories.contains(self) ? "accessoryEvent" : "phoneEvent"
  }
}

extension SchemaVisitor {
  fileprivate mutating func schema(of form: EventValue.Form) -> JSONTree {
    switch form {
    case .flag: visit(Bool.self)
    case .number: visit(Int.self)
    case .numbers: visit([Int].self)
    case .text, .bytes: visit(String.self)
    case .texts: visit([String].self)
    case .uuid: visit(BluetoothUUID.self)
    case .uuids: visit([BluetoothUUID].self)
    case .error: visit(EventValue.Failure.self)
    case .interval: visit(EventValue.Interval.self)
    }
    return schema
  }
}
