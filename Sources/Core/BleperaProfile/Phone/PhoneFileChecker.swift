import BleperaBluetooth
package import BleperaPropertyLists
package import BleperaRules

package struct PhoneFileCheck {
  /// Nil if the file has an error.
  package let phone: MeasuredPhone?
  package let diagnostics: [Diagnostic]
}

extension MeasuredPhone {
  /// Reads and checks a phone file; `file` is its path in diagnostics.
  package static func check(_ bytes: [UInt8], file: String) -> PhoneFileCheck {
    var faults = FaultList()
    let document = PropertyList.read(bytes, faults: &faults)
    var phone: MeasuredPhone?
    if let root = document.root, let kind = DocumentKind(root), kind != .phone {
      faults.error(at: root.offset, .root, found: "\(kind)", expected: "\(DocumentKind.phone)")
    } else if let root = document.root {
      let name = file.split(separator: "/").last.map(String.init) ?? file
      var checker = PhoneFileChecker(faults: faults, comments: document.comments, fileName: name)
      phone = checker.phone(root)
      faults = checker.faults
    }
    return PhoneFileCheck(
      phone: faults.hasErrors ? nil : phone, diagnostics: faults.diagnostics(file: file, lines: document.lines))
  }
}

/// Converts a property list to a measured phone and reports every fault in it.
private struct PhoneFileChecker: PropertyListChecker {
  var faults: FaultList
  let comments: [PropertyListComment]
  /// The source of a value without a comment.
  let fileName: String

  mutating func phone(_ root: PropertyListNode) -> MeasuredPhone? {
    guard let file = fields(of: root, .phoneFile, .root) else { return nil }
    if let name = file[.phone], file.string(.phone)?.isEmpty == true {
      error(name, found: "an empty string", expected: "a model such as iPhone18,2")
    }
    let version = ios(file)
    var rules = RuleSet(version ?? .newest)
    let values = VisibleValue.all.compactMap { value -> MeasuredPhone.Value? in
      let key = SchemaKey(value)
      guard let field = file[key], let content = content(file, key, value.shape) else { return nil }
      let source = source(of: field, in: root)
      if !value.set(content, source: source, in: &rules) {
        error(field, found: "fields that contradict each other", expected: value.shape.description)
      }
      return MeasuredPhone.Value(value.name, content, source: source)
    }
    return MeasuredPhone(
      name: file.string(.phone) ?? "", ios: version, deviceName: deviceName(file, .deviceName), values: values)
  }

  private mutating func ios(_ file: Fields) -> IOSVersion? {
    guard let field = file[.iosVersion], case .integer(let number) = field.node.value else { return nil }
    let version = Int(exactly: number).flatMap { IOSVersion(rawValue: $0) }
    if version == nil { error(field, found: "\(number)", expected: "the major number of iOS: \(IOSVersion.list)") }
    return version
  }

  /// The comment above the key; without one the file.
  private func source(of field: Fields.Field, in root: PropertyListNode) -> String {
    guard case .dictionary(let dictionary) = root.value,
      let index = dictionary.entries.firstIndex(where: { $0.node.offset == field.node.offset })
    else { return fileName }
    let start = index == 0 ? root.offset : dictionary.entries[index - 1].node.offset
    let above = comments.last {
      $0.owner == root.offset && !$0.isTrailing && (start..<dictionary.entries[index].keyOffset).contains($0.offset)
    }
    let text = above?.words ?? ""
    let source = text.hasPrefix(MeasuredPhone.mark) ? String(text.dropFirst(MeasuredPhone.mark.count)) : text
    return source.isEmpty ? fileName : Quote.line(source)
  }

  private mutating func content(_ fields: Fields, _ key: SchemaKey, _ shape: RuleShape) -> RuleContent? {
    guard let field = fields[key] else { return nil }
    switch shape {
    case .milliseconds(let range): return quantity(fields, key, of: "milliseconds", in: range).map { .milliseconds($0) }
    case .number(let range, let unit): return integer(fields, key, of: unit, in: range).map { .number($0) }
    case .optionalNumber(let range, let unit):
      guard case .string(let text) = field.node.value else {
        return integer(fields, key, of: unit, in: range).map { .number($0) }
      }
      if text == MeasuredPhone.nothing { return RuleContent.none }
      error(field, found: Quote.text(text), expected: shape.description)
      return nil
    case .word(let words):
      guard case .string(let text) = field.node.value else { return nil }
      if words.contains(text) { return .word(text) }
      let fix = faults.nearest(to: text, in: words).map { "did you mean '\($0)'?" }
      error(field, found: Quote.text(text), expected: shape.description, fix: fix)
      return nil
    case .bytes(let count):
      guard let bytes = bytes(field) else { return nil }
      if bytes.count == count { return .bytes(bytes) }
      error(field, found: Quote.counted(bytes.count, "byte"), expected: shape.description)
      return nil
    case .items: return .list(elements(of: field, .bytes).compactMap { item($0) })
    case .handles: return .fields(handles(field))
    case .fields(let parts):
      guard let inner = self.fields(of: field.node, SchemaSection(key.name, parts), field.path) else { return nil }
      return .fields(
        parts.compactMap { part in
          content(inner, SchemaKey(part), part.shape).map { RuleContent.Field(part.name, $0) }
        })
    }
  }

  private mutating func item(_ element: Fields.Field) -> RuleContent? {
    guard let bytes = bytes(element) else { return nil }
    if AppleItem(bytes) != nil { return .bytes(bytes) }
    error(
      element, found: Hex.string(bytes, separator: " "), expected: "an item's type, its length and as many bytes")
    return nil
  }

  private mutating func handles(_ field: Fields.Field) -> [RuleContent.Field] {
    guard case .dictionary(let dictionary) = field.node.value else { return [] }
    return dictionary.entries.compactMap { entry in
      let (path, node) = (field.path.key(entry.key), entry.node.read(as: .integer))
      guard let uuid = BluetoothUUID(entry.key) else {
        faults.error(at: entry.keyOffset, path, found: Quote.text(entry.key), expected: SchemaType.uuid.description)
        return nil
      }
      if let handle = Self.handle(node.value) {
        return RuleContent.Field("\(uuid)", .number(handle))
      }
      faults.error(at: node.offset, path, found: node.value.summary, expected: "a handle, 1 to 65535")
      return nil
    }
  }

  /// A handle; also as a string, which `blepera convert` makes of a key that no schema has.
  private static func handle(_ value: PropertyListValue) -> Int? {
    let number: Int? =
      switch value {
      case .integer(let value): Int(exactly: value)
      case .string(let text): Int(text)
      case .dictionary, .array, .real, .boolean, .date, .data, .faulty: nil
      }
    return number.flatMap { RuleShape.handles($0) ? $0 : nil }
  }
}
