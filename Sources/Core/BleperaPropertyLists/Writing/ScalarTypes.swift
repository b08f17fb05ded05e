/// The types of a schema's scalars by key, which decide the types of strings in the text form.
package struct ScalarTypes: Sendable {
  /// Without a schema every string is text, and other scalars are written with their type.
  package static let none = ScalarTypes([])

  private var types: [String: SchemaType] = [:]

  /// A key that has different types in different dictionaries is left out.
  package init(_ sections: [SchemaSection]) {
    var ambiguous: Set<String> = []
    for key in sections.flatMap(\.keys) {
      let type = Self.scalar(key.type)
      if let other = types[key.name], other != type { ambiguous.insert(key.name) }
      types[key.name] = type
    }
    for name in ambiguous { types[name] = nil }
  }

  private static func scalar(_ type: SchemaType) -> SchemaType {
    switch type {
    case .boolean, .integer, .integerOrNone, .number, .attError, .values: type
    case .string, .uuid, .bytes, .pattern, .strings, .uuids, .dictionary, .dictionaries, .profile: .string
    }
  }

  /// The type of the key's value: `string` for everything but numbers and booleans, `values` for a list of numbers or
  /// text; nil for a key that the schema does not have.
  package subscript(_ key: String?) -> SchemaType? { key.flatMap { types[$0] } }

  /// Whether the values of a sequence in this dictionary are text or bytes.
  func hasText(_ dictionary: PropertyListDictionary) -> Bool {
    guard case .string(let format)? = dictionary["Format"]?.node.value else { return false }
    return Self.isText(format)
  }

  func hasText(_ entries: [PropertyListWriter.Entry]) -> Bool {
    for case .value("Format", .string(let format)) in entries { return Self.isText(format) }
    return false
  }

  private static func isText(_ format: String) -> Bool { format == "utf8" || format == "hex" }
}
