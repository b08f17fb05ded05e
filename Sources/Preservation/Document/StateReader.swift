/// A dictionary of the document, being read.
struct StateReader {
  private let fields: KeyedDecodingContainer<StateKey>

  init(_ decoder: any Decoder) throws {
    fields = try decoder.container(keyedBy: StateKey.self)
  }

  func value<Value: Decodable>(_ key: StateKey) throws -> Value {
    try fields.decode(Value.self, forKey: key)
  }

  func optional<Value: Decodable>(_ key: StateKey) throws -> Value? {
    try fields.decodeIfPresent(Value.self, forKey: key)
  }

  func value<Form: StoredForm>(_ key: StateKey, _ form: Form.Type) throws -> Form.Value {
    try fields.decode(form, forKey: key).value
  }

  func optional<Form: StoredForm>(_ key: StateKey, _ form: Form.Type) throws -> Form.Value? {
    try fields.decodeIfPresent(form, forKey: key)?.value
  }

  func list<Form: StoredForm>(_ key: StateKey, _ form: Form.Type) throws -> [Form.Value] {
    try fields.decode([Form].self, forKey: key).map(\.value)
  }

  func dictionary<Form: StoredForm>(_ key: StateKey, _ form: Form.Type) throws -> [String: Form.Value] {
    try fields.decode([String: Form].self, forKey: key).mapValues(\.value)
  }
}
