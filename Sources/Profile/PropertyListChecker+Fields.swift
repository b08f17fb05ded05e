package import GATT

/// What is checked the same way everywhere: keys, types, arrays, UUIDs, bytes, names.
extension PropertyListChecker {
  /// The entries that the section knows; reports the rest, wrong types and missing keys.
  package mutating func fields(of node: PropertyListNode, _ section: SchemaSection, _ path: NodePath) -> Fields? {
    guard case .dictionary(let dictionary) = node.value else {
      if case .faulty = node.value { return nil }
      faults.error(at: node.offset, path, found: node.value.summary, expected: SchemaType.dictionary.description)
      return nil
    }
    var fields = Fields(node, path)
    var others: [PropertyListDictionary.Entry] = []
    for entry in dictionary.entries {
      guard let key = section.key(named: entry.key) else {
        others.append(entry)
        continue
      }
      if key.type.accepts(entry.node.value) {
        fields.take(key, entry.node)
        continue
      }
      fields.take(key, nil)
      if case .faulty = entry.node.value { continue }
      faults.error(
        at: entry.node.offset, path.key(key.name), found: entry.node.value.summary, expected: key.type.description)
    }
    if section.allowsOthers {
      reportNearMisses(others, section, &fields)
    } else {
      reportUnknown(others, section, &fields)
    }
    for key in section.keys where key.isRequired && fields.lacks(key) && dictionary.isComplete {
      faults.error(
        at: node.offset, path, found: "no key \(key.name)", expected: "\(key.name), \(key.type)")
    }
    return fields
  }

  private mutating func reportUnknown(
    _ entries: [PropertyListDictionary.Entry], _ section: SchemaSection, _ fields: inout Fields
  ) {
    let missing = section.names.filter { !fields.present.contains($0) }
    let owner = section.choice.map { " for \($0)" } ?? ""
    for entry in entries {
      // A key that is there already cannot have been meant.
      let meant = faults.nearest(to: entry.key, in: missing)
      if let meant { fields.meant.insert(meant) }
      let fix = meant.map { "did you mean '\($0)'?" }
      faults.error(
        at: entry.keyOffset, fields.path.key(entry.key), found: "the unknown key \(Quote.text(entry.key))",
        expected: Quote.list(section.names) + owner, fix: fix)
    }
  }

  /// In an Info.plist a key of someone else's is none of blepera's business, one that is almost blepera's is.
  private mutating func reportNearMisses(
    _ entries: [PropertyListDictionary.Entry], _ section: SchemaSection, _ fields: inout Fields
  ) {
    for key in section.keys where !fields.has(key) {
      guard let entry = nearMiss(entries, of: key) else { continue }
      fields.meant.insert(key.name)
      faults.add(
        key.isRequired ? .error : .warning, at: entry.keyOffset, fields.path,
        found: "the key \(Quote.text(entry.key))", expected: key.name, fix: "did you mean '\(key.name)'?")
    }
  }

  private func nearMiss(_ entries: [PropertyListDictionary.Entry], of key: SchemaKey) -> PropertyListDictionary.Entry? {
    let length = key.name.utf8.count
    var searches = 50
    for entry in entries where abs(entry.key.utf8.count - length) <= 2 {
      guard searches > 0 else { return nil }
      searches -= 1
      if NearestName.find(entry.key, in: [key.name], edits: 2) != nil { return entry }
    }
    return nil
  }

  /// The elements of an array, those of another type reported and left out.
  package mutating func elements(of field: Fields.Field, _ type: SchemaType) -> [Fields.Field] {
    guard case .array(let nodes) = field.node.value else { return [] }
    var elements: [Fields.Field] = []
    for (index, node) in nodes.enumerated() {
      let path = field.path.index(index)
      if type.accepts(node.value) {
        elements.append(Fields.Field(node: node, path: path))
      } else if case .faulty = node.value {
        continue
      } else {
        faults.error(at: node.offset, path, found: node.value.summary, expected: type.description)
      }
    }
    return elements
  }

  /// Reports what a value says, at the place where it says it.
  package mutating func error(
    _ field: Fields.Field, found: @autoclosure () -> String, expected: @autoclosure () -> String,
    fix: @autoclosure () -> String? = nil
  ) {
    faults.error(at: field.node.contentOffset, field.path, found: found(), expected: expected(), fix: fix())
  }

  package mutating func uuid(_ field: Fields.Field) -> BluetoothUUID? {
    guard case .string(let text) = field.node.value else { return nil }
    if text.utf8.count <= 36, let uuid = BluetoothUUID(text) { return uuid }
    let fix = Self.intendedUUID(text).map { "did you mean '\($0)'?" }
    error(field, found: Quote.text(text), expected: SchemaType.uuid.description, fix: fix)
    return nil
  }

  /// The UUID in a text that has the digits of one, written in another way.
  private static func intendedUUID(_ text: String) -> BluetoothUUID? {
    guard text.utf8.count <= 64 else { return nil }
    var text = text
    if text.hasPrefix("0x") || text.hasPrefix("0X") { text = String(text.dropFirst(2)) }
    let digits = text.utf8.filter { Hex.digit($0) != nil }
    let others = text.utf8.filter { Hex.digit($0) == nil }
    guard others.allSatisfy({ "{}-_: \t\n".utf8.contains($0) }) else { return nil }
    guard digits.count == 32 else { return BluetoothUUID(String(decoding: digits, as: UTF8.self)) }
    return UInt128(String(decoding: digits, as: UTF8.self), radix: 16).map { BluetoothUUID(bits: $0) }
  }

  /// The bytes of data or of a string, at most 512.
  package mutating func bytes(_ field: Fields.Field) -> [UInt8]? {
    let bytes: [UInt8]
    switch field.node.value {
    case .data(let data): bytes = data
    case .string(let text): bytes = Array(text.utf8)
    case .dictionary, .array, .integer, .real, .boolean, .date, .faulty: return nil
    }
    guard bytes.count <= AttributeValue.maximumLength else {
      error(field, found: "\(bytes.count) bytes", expected: "at most \(AttributeValue.maximumLength)")
      return nil
    }
    return bytes
  }

  /// The options that an array names; nil when it has a fault.
  package mutating func options<Options: NamedOptions>(_ field: Fields.Field, allowed: [String]) -> Options? {
    guard case .array(let nodes) = field.node.value else { return nil }
    var options: Options = []
    var isRight = true
    let elements = elements(of: field, .string)
    for element in elements {
      guard case .string(let name) = element.node.value else { continue }
      guard let option = Options(named: name) else {
        isRight = false
        let fix = faults.nearest(to: name, in: allowed).map { "did you mean '\($0)'?" }
        error(element, found: Quote.text(name), expected: Quote.list(allowed), fix: fix)
        continue
      }
      if options.rawValue & option.rawValue != 0 {
        isRight = false
        error(element, found: "\(Quote.text(name)) a second time", expected: "each name once")
      }
      options = Options(rawValue: options.rawValue | option.rawValue)
    }
    return isRight && elements.count == nodes.count ? options : nil
  }
}
