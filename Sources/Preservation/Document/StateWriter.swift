/// A dictionary of the document, being written.
struct StateWriter {
  private var fields: KeyedEncodingContainer<StateKey>

  init(_ encoder: any Encoder) {
    fields = encoder.container(keyedBy: StateKey.self)
  }

  mutating func value(_ value: some Encodable, _ key: StateKey) throws {
    try fields.encode(value, forKey: key)
  }

  mutating func optional(_ value: (some Encodable)?, _ key: StateKey) throws {
    try fields.encodeIfPresent(value, forKey: key)
  }

  mutating func value<Form: StoredForm>(_ value: Form.Value, _ key: StateKey, _ form: Form.Type) throws {
    try fields.encode(Form(value), forKey: key)
  }

  mutating func optional<Form: StoredForm>(_ value: Form.Value?, _ key: StateKey, _ form: Form.Type) throws {
    try fields.encodeIfPresent(value.map(Form.init), forKey: key)
  }

  mutating func list<Form: StoredForm>(_ values: [Form.Value], _ key: StateKey, _ form: Form.Type) throws {
    try fields.encode(values.map(Form.init), forKey: key)
  }

  mutating func dictionary<Form: StoredForm>(
    _ values: [String: Form.Value], _ key: StateKey, _ form: Form.Type
  ) throws {
    try fields.encode(values.mapValues(Form.init), forKey: key)
  }
}
