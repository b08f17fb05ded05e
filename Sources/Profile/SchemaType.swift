/// What may stand under a key of a profile.
public enum SchemaType: Hashable, Sendable, CaseIterable {
  case string
  case uuid
  case boolean
  case integer
  case number
  case bytes
  case attError
  case strings
  case uuids
  case values
  case dictionary
  case dictionaries
  case hex
  case profile

  package func accepts(_ value: PropertyListValue) -> Bool {
    switch (self, value) {
    case (.string, .string), (.uuid, .string), (.boolean, .boolean), (.integer, .integer), (.number, .integer),
      (.number, .real), (.bytes, .data), (.bytes, .string), (.attError, .string), (.attError, .integer),
      (.strings, .array), (.uuids, .array), (.values, .array),
      (.dictionary, .dictionary), (.dictionaries, .array), (.hex, .string), (.hex, .data), (.profile, .string),
      (.profile, .dictionary):
      true
    case (_, _): false
    }
  }
}

extension SchemaType: CustomStringConvertible {
  /// As a message says it, with the article.
  public var description: String {
    switch self {
    case .string: "a string"
    case .uuid: "a UUID such as 180D or 1FA2FD8A-17E0-4D3B-AF45-305DA6130E39"
    case .boolean: "<true/> or <false/>"
    case .integer: "an integer"
    case .number: "an integer or a real"
    case .bytes: "data, or a string for its UTF-8"
    case .attError: "the name of an ATT error or an integer"
    case .strings: "an array of strings"
    case .uuids: "an array of UUID strings"
    case .values: "an array of values"
    case .dictionary: "a dictionary"
    case .dictionaries: "an array of dictionaries"
    case .hex: "hexadecimal digits such as 06 54, or data"
    case .profile: "the path of a profile, or a profile's dictionary"
    }
  }
}

extension SchemaType {
  /// As tables of the documentation say it.
  package var word: String {
    switch self {
    case .string: "string"
    case .uuid: "UUID"
    case .boolean: "boolean"
    case .integer: "integer"
    case .number: "number"
    case .bytes: "bytes"
    case .attError: "ATT error"
    case .strings: "strings"
    case .uuids: "UUIDs"
    case .values: "values"
    case .dictionary: "dictionary"
    case .dictionaries: "dictionaries"
    case .hex: "hex"
    case .profile: "profile"
    }
  }
}
