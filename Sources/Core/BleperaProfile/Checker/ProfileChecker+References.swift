import BleperaBluetooth
import BleperaPropertyLists

/// A reference in a response, which can be checked only after the whole service is read.
struct ResponseReference {
  enum Target {
    /// The characteristic that a step updates.
    case characteristic(BluetoothUUID)
    /// The characteristic with the response, which a step updates that names no other.
    case own
    /// A characteristic to which the central has to be subscribed.
    case subscription(BluetoothUUID)
    case requiredState(String)
    case newState(String)
  }

  let target: Target
  let field: Fields.Field
  /// The place of the characteristic with the response.
  var owner = 0
}

extension ProfileChecker {
  /// Checks that the targets of references exist, and that they can be updated, subscribed to and reached.
  mutating func checkReferences(_ checked: [CheckedCharacteristic], states: Field?, isComplete: Bool) {
    let states = states.map { $0.strings(atMost: Responses.limit) } ?? []
    let names = states.map(\.string)
    let known = Set(names)
    var positions: [BluetoothUUID: Int] = [:]
    for (index, characteristic) in checked.enumerated() {
      if let uuid = characteristic.uuid, positions[uuid] == nil { positions[uuid] = index }
    }
    var reached: Set<String> = []
    for reference in references {
      switch reference.target {
      case .characteristic(let uuid):
        guard let position = position(of: uuid, in: positions, reference, isComplete) else { continue }
        checkUpdate(of: checked[position], "\(uuid)", reference)
      case .own: checkUpdate(of: checked[reference.owner], "the characteristic", reference)
      case .subscription(let uuid):
        guard let position = position(of: uuid, in: positions, reference, isComplete),
          let properties = checked[position].properties, properties.isDisjoint(with: .subscribable)
        else { continue }
        faults.warn(
          at: reference.field.node.contentOffset, reference.field.path,
          found: "\(uuid), to which no central can subscribe",
          expected: "a characteristic with notify or indicate: the response would always apply")
      case .requiredState(let name), .newState(let name):
        if case .newState = reference.target { reached.insert(name) }
        guard !known.contains(name) else { continue }
        let fix = faults.nearest(to: name, in: names).map { "did you mean '\($0)'?" }
        error(
          reference.field, found: Quote.text(name),
          expected: names.isEmpty ? "a state, which the service's States has to name" : Quote.list(names), fix: fix)
      }
    }
    for state in states where state.string != names.first && reached.insert(state.string).inserted {
      faults.warn(
        at: state.node.contentOffset, state.path, found: "\(Quote.text(state.string)), which nothing sets",
        expected: "a response or a step with it as Sets")
    }
    references = []
  }

  private mutating func position(
    of uuid: BluetoothUUID, in positions: [BluetoothUUID: Int], _ reference: ResponseReference, _ isComplete: Bool
  ) -> Int? {
    if let position = positions[uuid] { return position }
    if isComplete {
      error(
        reference.field, found: "\(uuid), which this service does not have",
        expected: "the UUID of a characteristic of the same service")
    }
    return nil
  }

  private mutating func checkUpdate(
    of characteristic: CheckedCharacteristic, _ name: String, _ reference: ResponseReference
  ) {
    let field = reference.field
    if characteristic.fields.has(.value) {
      error(field, found: "\(name), whose cached value never changes", expected: "a characteristic without Value")
    } else if case .generator = characteristic.behavior {
      error(
        field, found: "\(name), whose values a generator makes",
        expected: "a characteristic without a Behavior, or with echo or responses")
    } else if let properties = characteristic.properties, properties.isDisjoint(with: .subscribable),
      !properties.contains(.read)
    {
      faults.warn(
        at: field.node.contentOffset, field.path, found: "a value of \(name), which no central can see",
        expected: "notify, indicate or read among its properties")
    }
  }
}

extension Fields.Field {
  /// The text of a string; empty for another type.
  fileprivate var string: String {
    if case .string(let text) = node.value { text } else { "" }
  }

  /// The strings of an array; other elements are not reported here.
  fileprivate func strings(atMost limit: Int) -> [Self] {
    guard case .array(let nodes) = node.value else { return [] }
    return nodes.prefix(limit).enumerated().compactMap { index, node in
      guard case .string = node.value else { return nil }
      return Self(node: node, path: path.index(index))
    }
  }
}
