/// A key that blepera reads.
public struct SchemaKey: Hashable, Sendable {
  public let name: String
  public let type: SchemaType
  public let isRequired: Bool
  /// One phrase for the reader of a table, with the default where there is one.
  public let meaning: String

  package init(_ name: String, _ type: SchemaType, required: Bool = false, _ meaning: String) {
    self.name = name
    self.type = type
    isRequired = required
    self.meaning = meaning
  }
}
