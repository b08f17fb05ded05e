/// The keys of one dictionary of a profile.
package struct SchemaSection: Hashable, Sendable {
  /// The path of the dictionary, such as `BLEPeripheral.Services[].Characteristics[]`; empty for the file itself.
  package let path: String
  /// The value of `Kind` with these keys; nil for dictionaries without `Kind`.
  package let kind: String?
  /// The choice to which these keys belong, for a message: `the kind ramp`.
  package let choice: String?
  package let keys: [SchemaKey]
  /// Whether other keys are allowed, as in an Info.plist.
  package let allowsOthers: Bool
  /// Why there are no other keys, for a message.
  package let limit: String?

  package init(
    _ path: String, kind: String? = nil, choice: String? = nil, allowsOthers: Bool = false, limit: String? = nil,
    _ keys: [SchemaKey]
  ) {
    self.path = path
    self.kind = kind
    self.choice = choice ?? kind.map { "the kind \($0)" }
    self.allowsOthers = allowsOthers
    self.limit = limit
    self.keys = keys
  }

  package func key(named name: String) -> SchemaKey? { keys.first { $0.name == name } }

  package var names: [String] { keys.map(\.name) }
}

/// A key that blepera reads.
package struct SchemaKey: Hashable, Sendable {
  package let name: String
  package let type: SchemaType
  package let isRequired: Bool
  /// A phrase for `blepera help`, with the default.
  package let meaning: String

  package init(_ name: String, _ type: SchemaType, required: Bool = false, _ meaning: String) {
    self.name = name
    self.type = type
    isRequired = required
    self.meaning = meaning
  }
}

/// The type of a key's value.
package enum SchemaType: Hashable, Sendable, CaseIterable {
  case string
  case uuid
  case boolean
  case integer
  case integerOrNone
  case number
  case bytes
  case attError
  case strings
  case uuids
  case values
  case dictionary
  case dictionaries
  case pattern
  case profile

  package func accepts(_ value: PropertyListValue) -> Bool {
    switch value {
    case .string: [.string, .uuid, .integerOrNone, .bytes, .attError, .pattern, .profile].contains(self)
    case .boolean: self == .boolean
    case .integer: [.integer, .integerOrNone, .number, .attError].contains(self)
    case .real: self == .number
    case .data: [.bytes, .pattern].contains(self)
    case .array: [.strings, .uuids, .values, .dictionaries].contains(self)
    case .dictionary: [.dictionary, .profile].contains(self)
    case .date, .faulty: false
    }
  }
}

extension SchemaType: CustomStringConvertible {
  /// The type with its article, for a message.
  package var description: String {
    switch self {
    case .string: "a string"
    case .uuid: "a UUID such as 180D or 1FA2FD8A-17E0-4D3B-AF45-305DA6130E39"
    case .boolean: "<true/> or <false/>"
    case .integer: "an integer"
    case .integerOrNone: "an integer, or none"
    case .number: "an integer or a real"
    case .bytes: "data, or hexadecimal digits such as 06 54"
    case .attError: "the name of an ATT error or an integer"
    case .strings: "an array of strings"
    case .uuids: "an array of UUID strings"
    case .values: "an array of values"
    case .dictionary: "a dictionary"
    case .dictionaries: "an array of dictionaries"
    case .pattern: "hexadecimal digits such as 01 {name:2}, or data"
    case .profile: "the path of a profile, or a profile's dictionary"
    }
  }
}

extension SchemaType {
  /// The type as a word of `blepera help`.
  package var word: String {
    switch self {
    case .string: "string"
    case .uuid: "UUID"
    case .boolean: "boolean"
    case .integer: "integer"
    case .integerOrNone: "integer or none"
    case .number: "number"
    case .bytes: "bytes"
    case .attError: "ATT error"
    case .strings: "strings"
    case .uuids: "UUIDs"
    case .values: "values"
    case .dictionary: "dictionary"
    case .dictionaries: "dictionaries"
    case .pattern: "pattern"
    case .profile: "profile"
    }
  }
}

extension SchemaType {
  /// The value that a string of the text form represents; nil for the string itself, and for a string of another type.
  package func value(of text: String) -> PropertyListValue? {
    let bytes = Array(text.utf8)[...]
    switch self {
    case .boolean: return Self.boolean(text).map { .boolean($0) }
    case .integer, .integerOrNone, .attError: return PropertyListNumber.integer(bytes).map { .integer($0) }
    case .number:
      return PropertyListNumber.integer(bytes).map { .integer($0) }
        ?? PropertyListNumber.real(bytes).map { .real($0) }
    case .string, .uuid, .bytes, .pattern, .strings, .uuids, .values, .dictionary, .dictionaries, .profile: return nil
    }
  }

  private static func boolean(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "yes", "true": true
    case "no", "false": false
    default: nil
    }
  }

  /// The description for a value of the given node: in the text form a boolean is a word.
  package func description(for node: PropertyListNode) -> String {
    self == .boolean && node.isUntyped ? "YES or NO" : description
  }
}
