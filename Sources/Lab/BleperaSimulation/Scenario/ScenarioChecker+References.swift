import BleperaBluetooth
import BleperaProfile
import BleperaPropertyLists

/// The phones, apps, centrals and characteristics that a step refers to.
extension ScenarioChecker {
  /// The given name, or the only name. Reports nothing if an earlier name could not be read.
  mutating func reference(_ fields: Fields, _ key: SchemaKey, to table: NameTable, _ noun: String) -> String? {
    if let name = mention(fields, key, of: table, noun) { return name }
    guard fields.lacks(key), table.isComplete else { return nil }
    if table.names.count == 1 { return table.names[0] }
    faults.error(
      at: fields.node.offset, fields.path, found: "no key \(key.name)",
      expected: table.names.isEmpty
        ? "\(noun), and the scenario has none"
        : "\(key.name), since there are several: \(Quote.list(table.names))")
    return nil
  }

  /// The given name; nil if missing or unknown. Reports an unknown name.
  mutating func mention(_ fields: Fields, _ key: SchemaKey, of table: NameTable, _ noun: String) -> String? {
    guard let field = fields[key], case .string(let name) = field.node.value else { return nil }
    return check(name, at: field, in: table, noun) ? name : nil
  }

  /// Whether the name is known; reports an unknown one.
  mutating func check(_ name: String, at field: Field, in table: NameTable, _ noun: String) -> Bool {
    guard !table.names.contains(name) else { return true }
    guard table.isComplete else { return false }
    let fix = faults.nearest(to: name, in: table.names).map { "did you mean '\($0)'?" }
    error(
      field, found: Quote.text(name),
      expected: table.names.isEmpty ? "\(noun); the scenario has none" : "\(noun): \(Quote.list(table.names))", fix: fix
    )
    return false
  }

  /// A characteristic that must exist in a profile.
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

  /// Whether a key is present; reports a value other than the only valid one.
  mutating func only(_ value: Bool, _ fields: Fields, _ key: SchemaKey) -> Bool {
    guard let given = flag(fields, key), let field = fields[key] else { return false }
    guard given != value else { return true }
    error(field, found: "\(given)", expected: "\(value), or no key \(key.name)")
    return false
  }

  /// The time limit; ten seconds by default.
  mutating func within(_ fields: Fields) -> Duration { duration(fields, .within, in: 0.01...86_400) ?? .seconds(10) }

  mutating func duration(_ fields: Fields, _ key: SchemaKey, in range: ClosedRange<Double>) -> Duration? {
    seconds(fields, key, in: range).map { .milliseconds(Int(($0 * 1000).rounded())) }
  }
}
