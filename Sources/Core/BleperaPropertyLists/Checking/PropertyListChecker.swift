package import BleperaBluetooth

/// Converts a property list to a value and reports every fault in it.
package protocol PropertyListChecker {
  var faults: FaultList { get set }
}

/// The checks of keys, types, arrays, UUIDs, bytes and names.
extension PropertyListChecker {
  /// The entries of the section's keys; reports unknown keys, wrong types and missing keys.
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
      let node = entry.node.read(as: key.type)
      if key.type.accepts(node.value) {
        fields.take(key, node)
        continue
      }
      fields.take(key, nil)
      if case .faulty = entry.node.value { continue }
      faults.error(
        at: entry.node.offset, path.key(key.name), found: entry.node.value.summary,
        expected: key.type.description(for: entry.node))
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
      // A misspelled key cannot stand for a key that is present.
      let meant = faults.nearest(to: entry.key, in: missing)
      if let meant { fields.meant.insert(meant) }
      let fix = meant.map { "did you mean '\($0)'?" }
      faults.error(
        at: entry.keyOffset, fields.path.key(entry.key), found: "the unknown key \(Quote.text(entry.key))",
        expected: Quote.list(section.names) + owner + (fix == nil ? section.limit.map { ": \($0)" } ?? "" : ""),
        fix: fix)
    }
  }

  /// An Info.plist may have other keys, so only keys that nearly match a key of the section are reported.
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

  /// The elements of an array; reports and omits elements of another type.
  package mutating func elements(of field: Fields.Field, _ type: SchemaType) -> [Fields.Field] {
    guard case .array(let nodes) = field.node.value else { return [] }
    var elements: [Fields.Field] = []
    for (index, node) in nodes.enumerated() {
      let path = field.path.index(index)
      let node = node.read(as: type)
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

  /// Reports a fault of a value's content, at the content's offset.
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

  /// The UUID whose digits a text has in another notation.
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

  /// A value of an enum.
  package mutating func choice<Choice: RawRepresentable & CaseIterable>(_ fields: Fields, _ key: SchemaKey) -> Choice?
  where Choice.RawValue == String {
    guard let field = fields[key], case .string(let word) = field.node.value else { return nil }
    if let choice = Choice(rawValue: word) { return choice }
    let words = Choice.allCases.map(\.rawValue)
    let fix = faults.nearest(to: word, in: words).map { "did you mean '\($0)'?" }
    error(field, found: Quote.text(word), expected: Quote.list(words), fix: fix)
    return nil
  }

  /// A Device Name; nil where it has a fault.
  package mutating func deviceName(_ fields: Fields, _ key: SchemaKey) -> String? {
    guard let field = fields[key], let name = fields.string(key), let fault = DeviceName.fault(of: name) else {
      return fields.string(key)
    }
    error(field, found: fault, expected: DeviceName.form)
    return nil
  }

  /// The options that an array names; nil where it has a fault.
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
      if !options.isDisjoint(with: option) {
        isRight = false
        error(element, found: "\(Quote.text(name)) a second time", expected: "each name once")
      }
      options.formUnion(option)
    }
    return isRight && elements.count == nodes.count ? options : nil
  }
}

/// The checks of numbers with units and of ATT errors.
extension PropertyListChecker {
  package mutating func seconds(_ fields: Fields, _ key: SchemaKey, in range: ClosedRange<Double>) -> Double? {
    quantity(fields, key, of: "seconds", in: range)
  }

  package mutating func quantity(
    _ fields: Fields, _ key: SchemaKey, of unit: String, in range: ClosedRange<Double>
  ) -> Double? {
    guard let field = fields[key], let number = number(field.node) else { return nil }
    guard range.contains(number.double) else {
      let expected = "\(unit) from \(Quote.number(range.lowerBound)) to \(Quote.number(range.upperBound))"
      error(field, found: "\(number)", expected: expected)
      return nil
    }
    return number.double
  }

  /// - Parameter unit: the unit of the number, for the message.
  package mutating func integer(
    _ fields: Fields, _ key: SchemaKey, of unit: String? = nil, in range: ClosedRange<Int>
  ) -> Int? {
    guard let field = fields[key], case .integer(let value) = field.node.value else { return nil }
    guard let integer = Int(exactly: value), range.contains(integer) else {
      let expected = "\(range.lowerBound) to \(range.upperBound)"
      error(field, found: "\(value)", expected: unit.map { "\($0) from \(expected)" } ?? expected)
      return nil
    }
    return integer
  }

  package func number(_ node: PropertyListNode) -> Number? {
    switch node.value {
    case .integer(let value): .integer(value)
    case .real(let value): .real(value)
    case .dictionary, .array, .string, .boolean, .date, .data, .faulty: nil
    }
  }

  /// An ATT error by name or code; 0 is refused, since it means success.
  package mutating func attError(_ field: Fields.Field) -> ATTError? {
    let codes = 1...Int128(UInt8.max)
    switch field.node.value {
    case .integer(let code):
      if codes.contains(code) { return ATTError(rawValue: UInt8(code)) }
      error(
        field, found: code == 0 ? "0, which is success" : "\(code)",
        expected: "\(codes.lowerBound) to \(codes.upperBound), or the name of an ATT error")
      return nil
    case .string(let name):
      if let error = ATTError.names.first(where: { $0.name == name })?.error { return error }
      if name.hasPrefix("0x"), let code = Hex.bytes(name.dropFirst(2)), code.count == 1, code[0] != 0 {
        return ATTError(rawValue: code[0])
      }
      let names = ATTError.names.map(\.name)
      let fix = faults.nearest(to: name, in: names).map { "did you mean '\($0)'?" }
      error(
        field, found: Quote.text(name),
        expected: Quote.list(names + ["an integer from \(codes.lowerBound) to \(codes.upperBound)"]), fix: fix)
      return nil
    case .dictionary, .array, .real, .boolean, .date, .data, .faulty: return nil
    }
  }
}

/// The entries of a dictionary that have the right type.
package struct Fields {
  package struct Field {
    package let node: PropertyListNode
    package let path: NodePath

    package init(node: PropertyListNode, path: NodePath) {
      self.node = node
      self.path = path
    }
  }

  package let node: PropertyListNode
  package let path: NodePath
  /// The keys that the file has, also those whose values have the wrong type.
  package private(set) var present: Set<String> = []
  /// The keys that misspelled ones probably stand for, which are not reported as missing.
  var meant: Set<String> = []
  private var fields: [String: Field] = [:]

  init(_ node: PropertyListNode, _ path: NodePath) {
    self.node = node
    self.path = path
  }

  package subscript(_ key: SchemaKey) -> Field? { fields[key.name] }

  package func has(_ key: SchemaKey) -> Bool { present.contains(key.name) }

  /// Whether the file has neither the key nor a misspelling of it.
  package func lacks(_ key: SchemaKey) -> Bool { !has(key) && !meant.contains(key.name) }

  mutating func take(_ key: SchemaKey, _ node: PropertyListNode?) {
    present.insert(key.name)
    if let node { fields[key.name] = Field(node: node, path: path.key(key.name)) }
  }

  package func string(_ key: SchemaKey) -> String? {
    if case .string(let text)? = fields[key.name]?.node.value { text } else { nil }
  }
}
