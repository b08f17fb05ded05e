/// A value of this target: the document's form is the only one that it has.
protocol StoredValue: Storable, Codable {}

extension StoredValue {
  package init(from decoder: any Decoder) throws {
    try self.init(reading: StateReader(decoder))
  }

  package func encode(to encoder: any Encoder) throws {
    var fields = StateWriter(encoder)
    try write(to: &fields)
  }
}
