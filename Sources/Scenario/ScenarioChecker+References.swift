import GATT
import Profile

/// Who a step is about.
extension ScenarioChecker {
  /// The one that is named, or the only one there is; what cannot be known any more is not reported again.
  mutating func reference(_ fields: Fields, _ key: SchemaKey, to cast: Cast, _ noun: String) -> String? {
    if let name = mention(fields, key, of: cast, noun) { return name }
    guard fields.lacks(key), cast.isComplete else { return nil }
    if cast.names.count == 1 { return cast.names[0] }
    faults.error(
      at: fields.node.offset, fields.path, found: "no key \(key.name)",
      expected: cast.names.isEmpty
        ? "\(noun) that it could be about: the scenario has none"
        : "\(key.name), since there are several: \(Quote.list(cast.names))")
    return nil
  }

  /// The one that is named; nil where none is, or where it is not there, which is reported.
  mutating func mention(_ fields: Fields, _ key: SchemaKey, of cast: Cast, _ noun: String) -> String? {
    guard let field = fields[key], case .string(let name) = field.node.value else { return nil }
    return check(name, at: field, in: cast, noun) ? name : nil
  }

  /// Whether somebody of that name is there.
  mutating func check(_ name: String, at field: Field, in cast: Cast, _ noun: String) -> Bool {
    guard !cast.names.contains(name) else { return true }
    guard cast.isComplete else { return false }
    let fix = faults.nearest(to: name, in: cast.names).map { "did you mean '\($0)'?" }
    error(
      field, found: Quote.text(name),
      expected: cast.names.isEmpty ? "\(noun); the scenario has none" : "\(noun): \(Quote.list(cast.names))", fix: fix)
    return false
  }

  /// One that some profile has.
  mutating func characteristic(_ fields: Fields) -> BluetoothUUID? {
    guard let field = fields[.characteristic], let uuid = uuid(field) else { return nil }
    guard let characteristics, !characteristics.contains(uuid) else { return uuid }
    let names = characteristics.map { "\($0)" }.sorted()
    let fix = faults.nearest(to: "\(uuid)", in: names, edits: 2).map { "did you mean '\($0)'?" }
    error(
      field, found: "\(uuid), which no profile here has",
      expected: names.isEmpty ? "a characteristic; the profiles here have none" : Quote.list(names), fix: fix)
    return nil
  }

  mutating func uuids(_ fields: Fields, _ key: SchemaKey) -> [BluetoothUUID]? {
    guard let field = fields[key] else { return nil }
    return elements(of: field, .uuid).compactMap { uuid($0) }
  }

  mutating func flag(_ fields: Fields, _ key: SchemaKey) -> Bool? {
    guard case .boolean(let value)? = fields[key]?.node.value else { return nil }
    return value
  }

  /// A key that can only say one thing, and says the other.
  mutating func only(_ value: Bool, _ fields: Fields, _ key: SchemaKey) -> Bool {
    guard let said = flag(fields, key), let field = fields[key] else { return false }
    guard said != value else { return true }
    error(field, found: "\(said)", expected: "\(value), or no key \(key.name)")
    return false
  }

  /// Hexadecimal digits or data.
  mutating func hex(_ fields: Fields, _ key: SchemaKey) -> [UInt8]? {
    guard let field = fields[key] else { return nil }
    guard case .string(let text) = field.node.value else { return bytes(field) }
    guard let value = Hex.bytes(text), value.count <= AttributeValue.maximumLength else {
      error(
        field, found: Quote.text(text),
        expected: "pairs of hexadecimal digits, of at most \(AttributeValue.maximumLength) bytes")
      return nil
    }
    return value
  }

  /// Ten seconds where nothing is said.
  mutating func within(_ fields: Fields) -> Duration { duration(fields, .within, in: 0.01...86_400) ?? .seconds(10) }

  mutating func duration(_ fields: Fields, _ key: SchemaKey, in range: ClosedRange<Double>) -> Duration? {
    seconds(fields, key, in: range).map { .milliseconds(Int(($0 * 1000).rounded())) }
  }

  mutating func count(_ fields: Fields, _ key: SchemaKey) -> Int? {
    guard let field = fields[key], case .integer(let value) = field.node.value else { return nil }
    guard (0...1_000_000).contains(value) else {
      error(field, found: "\(value)", expected: "0 to 1000000")
      return nil
    }
    return Int(value)
  }
}
