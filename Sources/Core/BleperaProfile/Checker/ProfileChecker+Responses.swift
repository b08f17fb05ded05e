import BleperaBluetooth
import BleperaPropertyLists

extension ProfileChecker {
  /// Whether a behavior says that it is a table of responses.
  func isTable(_ behavior: Field) -> Bool {
    guard case .dictionary(let dictionary) = behavior.node.value,
      case .string(let kind)? = dictionary[SchemaKey.kind.name]?.node.value
    else { return false }
    return kind == Behavior.Kind.responses.rawValue
  }

  mutating func responses(_ fields: Fields) -> Behavior? {
    var responses = Responses(rows: [])
    if let field = fields[.otherwise], let error = attError(field) { responses.otherwise = error }
    responses.initialValue = bytes(fields, .storedValue, orText: .initialText) ?? []
    guard let field = fields[.responses], let rows = rows(of: field, .response, { $0.row($1) }) else { return nil }
    responses.rows = rows
    return .responses(responses)
  }

  /// The rows of a table; nil where it has too many.
  ///
  /// - Parameter read: returns nil for a row with a fault.
  mutating func rows(
    of field: Field, _ section: SchemaSection, _ read: (inout Self, Fields) -> Responses.Row?
  ) -> [Responses.Row]? {
    guard case .array(let nodes) = field.node.value else { return nil }
    if nodes.isEmpty {
      faults.error(at: field.node.offset, field.path, found: "an empty array", expected: "at least one response")
    }
    guard isWithinLimit(nodes.count, field, "responses") else { return nil }
    var rows: [Responses.Row] = []
    var places: [Int] = []
    for (index, node) in nodes.enumerated() {
      let path = field.path.index(index)
      guard let fields = self.fields(of: node, section, path), let row = read(&self, fields) else { continue }
      if let earlier = rows.firstIndex(where: { $0.covers(row) }) {
        let name = section.path.split(whereSeparator: { ".[]".contains($0) }).last ?? ""
        faults.warn(
          at: node.offset, path, found: "a response that never applies",
          expected: "values that the earlier \(name)[\(places[earlier])] does not match",
          fix: "put the more specific response first")
      }
      rows.append(row)
      places.append(index)
    }
    return rows
  }

  /// A row; nil where its pattern has a fault, because the captured fields are then unknown.
  private mutating func row(_ fields: Fields) -> Responses.Row? {
    let pattern = pattern(fields, .write, .writeText)
    var row = Responses.Row(pattern ?? .any)
    if let field = fields[.when] {
      row.states = names(of: field) { ResponseReference(target: .requiredState($0), field: $1) }
      if case .array(let nodes) = field.node.value, nodes.isEmpty {
        faults.error(at: field.node.offset, field.path, found: "an empty array", expected: "at least one state")
      }
    }
    if let field = fields[.unlessSubscribed], case .array(let nodes) = field.node.value,
      isWithinLimit(nodes.count, field, "characteristics")
    {
      for element in elements(of: field, .uuid) {
        guard let uuid = uuid(element) else { continue }
        row.unlessSubscribed.append(uuid)
        references.append(ResponseReference(target: .subscription(uuid), field: element))
      }
    }
    if let field = fields[.responseError] { row.error = attError(field) }
    row.newState = newState(fields)
    if let field = fields[.cancels], case .boolean(let cancels) = field.node.value { row.cancels = cancels }
    row.value = template(fields, .responseValue, .responseText, with: pattern)
    if let error = fields[.responseError], fields.has(.responseValue) || fields.has(.responseText) {
      faults.error(
        at: error.node.offset, error.path, found: "Error as well as a value to store",
        expected: "one of them: a write that is refused stores nothing")
    }
    if let field = fields[.then], case .array(let nodes) = field.node.value,
      isWithinLimit(nodes.count, field, "steps")
    {
      for (index, node) in nodes.enumerated() {
        guard let fields = self.fields(of: node, .step, field.path.index(index)) else { continue }
        row.steps.append(step(fields, pattern))
      }
    }
    return pattern == nil ? nil : row
  }

  private mutating func step(_ fields: Fields, _ pattern: WritePattern?) -> Responses.Step {
    var step = Responses.Step()
    if let seconds = seconds(fields, .after, in: Responses.delays) { step.delay = .seconds(seconds) }
    step.newState = newState(fields)
    step.value = template(fields, .stepValue, .stepText, with: pattern)
    let hasValue = fields.has(.stepValue) || fields.has(.stepText)
    if let field = fields[.stepCharacteristic], let uuid = uuid(field) {
      step.characteristic = uuid
      references.append(ResponseReference(target: .characteristic(uuid), field: field))
      if !hasValue {
        faults.error(
          at: fields.node.offset, fields.path, found: "a Characteristic without Value or Text",
          expected: "the value that it gets")
      }
    } else if hasValue, !fields.has(.stepCharacteristic) {
      references.append(ResponseReference(target: .own, field: Field(node: fields.node, path: fields.path)))
    } else if fields.lacks(.stepCharacteristic), fields.lacks(.sets), fields.lacks(.stepValue), fields.lacks(.stepText)
    {
      faults.error(
        at: fields.node.offset, fields.path, found: "a step that does nothing", expected: "Value, Text or Sets")
    }
    return step
  }

  private mutating func newState(_ fields: Fields) -> String? {
    guard let field = fields[.sets], case .string(let name) = field.node.value else { return nil }
    references.append(ResponseReference(target: .newState(name), field: field))
    return name
  }

  mutating func isWithinLimit(_ count: Int, _ field: Field, _ noun: String) -> Bool {
    guard count > Responses.limit else { return true }
    faults.error(
      at: field.node.offset, field.path, found: "\(count) \(noun)", expected: "at most \(Responses.limit)")
    return false
  }

  /// The strings of an array; `reference` makes a reference of each.
  mutating func names(
    of field: Field, as reference: (String, Field) -> ResponseReference? = { _, _ in nil }
  ) -> [String] {
    guard case .array(let nodes) = field.node.value, isWithinLimit(nodes.count, field, "names") else { return [] }
    var names: [String] = []
    for element in elements(of: field, .string) {
      guard case .string(let name) = element.node.value else { continue }
      if names.contains(name) {
        error(element, found: "\(Quote.text(name)) a second time", expected: "each name once")
        continue
      }
      names.append(name)
      if let reference = reference(name, element) { references.append(reference) }
    }
    return names
  }
}

/// Reads the values of responses.
extension ProfileChecker {
  /// The pattern of one of two keys, any value without them; nil where it has a fault.
  mutating func pattern(_ fields: Fields, _ value: SchemaKey, _ text: SchemaKey) -> WritePattern? {
    guard fields.has(value) || fields.has(text) else { return .any }
    guard let (field, items) = items(fields, value, text) else { return nil }
    do throws(PatternReader.Fault) { return try PatternReader.pattern(items) } catch { report(error, field) }
    return nil
  }

  /// - Parameter keys: the keys of the pattern, for a message.
  mutating func template(
    _ fields: Fields, _ value: SchemaKey, _ text: SchemaKey, with pattern: WritePattern?,
    of keys: String = "Write and WriteText"
  ) -> ValueTemplate? {
    guard let (field, items) = items(fields, value, text), let pattern else { return nil }
    do throws(PatternReader.Fault) {
      return try PatternReader.template(items, fields: pattern.fields, of: keys)
    } catch {
      report(error, field)
    }
    return nil
  }

  /// The items in the value of either key: bytes, or text.
  private mutating func items(
    _ fields: Fields, _ value: SchemaKey, _ text: SchemaKey
  ) -> (Field, [PatternReader.Item])? {
    if fields.has(value), let field = fields[text] {
      error(
        field, found: "\(text.name) as well as \(value.name)", expected: "one of them")
      return nil
    }
    guard let field = fields[value] ?? fields[text] else { return nil }
    do throws(PatternReader.Fault) {
      switch field.node.value {
      case .string(let string) where fields.has(value): return (field, try PatternReader.hexadecimal(string))
      case .string(let string): return (field, try PatternReader.text(string))
      case .data: return bytes(field).map { (field, $0.map { .byte($0) }) }
      case .dictionary, .array, .integer, .real, .boolean, .date, .faulty: return nil
      }
    } catch {
      report(error, field, fix: error.isText ? "the key for text is \(text.name)" : nil)
    }
    return nil
  }

  private mutating func report(_ fault: PatternReader.Fault, _ field: Field, fix: String? = nil) {
    error(field, found: fault.found, expected: fault.expected, fix: fix)
  }
}
