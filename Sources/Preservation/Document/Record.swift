/// A value as a dictionary.
struct Record<Value: Storable>: StoredForm {
  let value: Value

  init(_ value: Value) { self.value = value }

  init(from decoder: any Decoder) throws {
    value = try Value(reading: StateReader(decoder))
  }

  func encode(to encoder: any Encoder) throws {
    var fields = StateWriter(encoder)
    try value.write(to: &fields)
  }
}
