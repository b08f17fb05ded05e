import BleperaBluetooth
import FoundationEssentials
import Glibc
import TestSupport
import Testing

@testable import BleperaAppLink

@Suite struct SchemaTests {
  @Test("A generated file of docs/schema is as the descriptions of the values say", arguments: GeneratedSchema.all)
  func files(schema: GeneratedSchema) throws {
    let path = "docs/schema/\(schema.name).json"
    let text = schema.schema.text
    if unsafe getenv("BLEPERA_WRITE_SCHEMAS") != nil {
      try Data(text.utf8).write(to: URL(filePath: "\(ProjectFile.root)/\(path)"))
    }
    let isUpToDate = try ProjectFile.text(path) == text
    #expect(isUpToDate, "BLEPERA_WRITE_SCHEMAS=1 swift test --filter SchemaTests writes \(path)")
  }

  struct Lamp: JSONObject, Equatable {
    let color: Color
    let level: UInt8?
    let names: [String]

    enum Color: String, CaseIterable, JSONRaw { case red, green }

    static func fields<V: JSONVisitor>(_ visitor: inout V, _ value: Self?) throws(V.Failure) -> Self {
      let color = try visitor.field("color", value?.color, "As painted.")
      let level = try visitor.optional("level", value?.level, ["maximum": 100, "description": "In percent."])
      return Self(color: color, level: level, names: try visitor.field("names", value?.names, ["minItems": 1]))
    }
  }

  enum Order: JSONMessage, Equatable {
    case off
    case on(Lamp)

    static let blank = Order.off

    static func variants<V: JSONVisitor>(_ v: inout V, _ it: Self, _ read: inout Self?) throws(V.Failure) {
      v.note("Saves power.")
      v.variant("off", .off, it, &read)
      try v.variant("on", "lamp", it, &read, Self.on, ["required": ["level"]]) {
        if case .on(let it) = $0 { it } else { nil }
      }
    }
  }

  /// Decodes two members if they are present.
  struct Room: JSONCoded {
    let bytes: [UInt8]
    let doors: [Door]?
    let height: Double
    let rules: [String: String]

    struct Door: Codable { let properties: CharacteristicProperties }

    static var note: JSONTree { ["properties": ["height": ["description": "In meters."]]] }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      bytes = try container.decode([UInt8].self, forKey: .bytes)
      doors = try container.decodeIfPresent([Door].self, forKey: .doors)
      height = try container.decode(Double.self, forKey: .height)
      rules = try container.decodeIfPresent([String: String].self, forKey: .rules) ?? [:]
    }
  }

  /// The schema of a type without the definitions of others, in which it is found by its last name.
  private static func schema<Value: JSONValue>(of type: Value.Type) -> String {
    var visitor = SchemaVisitor()
    visitor.visit(type)
    let definition = visitor.definitions.first { $0.key.hasSuffix("\(type)") }?.value
    return (definition ?? visitor.schema).text.replacing("SchemaTests.", with: "")
  }

  @Test("An object has its members with their notes, and requires those that are not optional")
  func object() {
    #expect(
      Self.schema(of: Lamp.self) == """
        {
          "type": "object",
          "properties": {
            "color": {"$ref": "#/$defs/Lamp.Color", "description": "As painted."},
            "level": {"type": "integer", "minimum": 0, "maximum": 100, "description": "In percent."},
            "names": {"type": "array", "items": {"type": "string"}, "minItems": 1}
          },
          "required": ["color", "names"],
          "additionalProperties": false
        }

        """)
    #expect(Self.schema(of: Lamp.Color.self) == #"{"enum": ["red", "green"]}"# + "\n")
  }

  @Test("A message is an object with one of its cases")
  func message() {
    #expect(
      Self.schema(of: Order.self) == """
        {
          "type": "object",
          "properties": {
            "off": {"type": "object", "additionalProperties": false, "description": "Saves power."},
            "on": {
              "type": "object",
              "properties": {"lamp": {"$ref": "#/$defs/Lamp", "required": ["level"]}},
              "required": ["lamp"],
              "additionalProperties": false
            }
          },
          "additionalProperties": false,
          "minProperties": 1,
          "maxProperties": 1
        }

        """)
  }

  @Test("What Codable describes has the members that are decoded")
  func coded() {
    #expect(
      Self.schema(of: Room.self) == """
        {
          "type": "object",
          "properties": {
            "bytes": {"$ref": "#/$defs/Bytes"},
            "doors": {"type": "array", "items": {"$ref": "#/$defs/Room.Door"}},
            "height": {"type": "number", "description": "In meters."},
            "rules": {"type": "object", "additionalProperties": {"type": "string"}}
          },
          "required": ["bytes", "height"],
          "additionalProperties": false
        }

        """)
  }

  @Test(
    "Types with values of their own",
    arguments: [
      (schema(of: AttributeHandle.self), #"{"type": "integer", "minimum": 1, "maximum": 65535}"#),
      (schema(of: [Int].self), #"{"type": "array", "items": {"type": "integer"}}"#),
      (schema(of: ManagerState.self), #"{"enum": [0, 1, 2, 3, 4, 5]}"#),
      (schema(of: PeripheralID.self), #"{"type": "string", "description": "CBPeripheral.identifier"}"#),
      (schema(of: CharacteristicProperties.self), #"{"type": "integer", "minimum": 0, "maximum": 65535}"#),
    ])
  func values(schema: String, expected: String) {
    #expect(schema == expected + "\n")
  }

  @Test("A value has one line where that has at most 120 columns", arguments: [(103, 1), (104, 4)])
  func lines(length: Int, count: Int) {
    let tree: JSONTree = ["a": .text(String(repeating: "x", count: length)), "b": 1]
    #expect(tree.text.split(separator: "\n").count == count)
  }

  @Test("Every reference of a file has its definition", arguments: GeneratedSchema.all)
  func references(schema: GeneratedSchema) throws {
    let references = schema.schema.text.matches(of: /"#\/\$defs\/([\w.]+)"/).map { String($0.1) }
    for name in Set(references) { #expect(schema.schema["$defs"]?[name] != nil, "\(name)") }
    #expect(!references.isEmpty)
  }
}
