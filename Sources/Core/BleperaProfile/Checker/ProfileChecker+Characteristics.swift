import BleperaBluetooth
import BleperaPropertyLists

/// Checks characteristics by the rules of Core Bluetooth.
extension ProfileChecker {
  /// A characteristic whose missing and faulty values are nil.
  struct CheckedCharacteristic {
    var uuid: BluetoothUUID?
    var properties: CharacteristicProperties?
    var permissions: AttributePermissions?
    var value: [UInt8]?
    var behavior: Behavior?
    /// The field in which an echo names its source.
    var source: Field?
    var initialValue: [UInt8] = []
    /// In seconds.
    var answerDelay: Double?
    var descriptors: [DescriptorDefinition] = []
    var fields: Fields

    /// Whether the value is a cached one.
    var isCached: Bool { fields.has(.value) || fields.has(.text) }

    /// Whether updates are sent over a link that is not encrypted.
    var sendsOpenly: Bool {
      guard let properties else { return false }
      return properties.contains(.notify) && !properties.contains(.notifyEncryptionRequired)
        || properties.contains(.indicate) && !properties.contains(.indicateEncryptionRequired)
    }

    var characteristic: Profile.Characteristic {
      Profile.Characteristic(
        definition: CharacteristicDefinition(
          uuid: uuid ?? BluetoothUUID(0 as UInt16), properties: properties ?? [], permissions: permissions ?? [],
          value: value, descriptors: descriptors),
        behavior: behavior, initialValue: initialValue, answerDelay: .seconds(answerDelay ?? 0))
    }
  }

  /// The properties that `CBMutableCharacteristic` allows: all but broadcast and extendedProperties.
  private static let localProperties = CharacteristicProperties.names.filter {
    $0.option != .broadcast && $0.option != .extendedProperties
  }.map(\.name)

  /// - Parameter states: the service's states, to which responses refer.
  mutating func characteristics(_ field: Field, states: Field?) -> [Profile.Characteristic] {
    guard case .array(let nodes) = field.node.value else { return [] }
    var checked: [CheckedCharacteristic] = []
    var isComplete = true
    references = []
    for (index, node) in nodes.enumerated() {
      guard let fields = fields(of: node, .characteristic, field.path.index(index)) else {
        isComplete = false
        continue
      }
      let known = references.count
      let characteristic = characteristic(fields)
      for index in known..<references.count { references[index].owner = checked.count }
      if characteristic.uuid == nil { isComplete = false }
      checked.append(characteristic)
    }
    checkSources(checked, isComplete: isComplete)
    checkReferences(checked, states: states, isComplete: isComplete)
    checkUpdates(checked)
    return checked.map(\.characteristic)
  }

  private mutating func characteristic(_ fields: Fields) -> CheckedCharacteristic {
    var checked = CheckedCharacteristic(fields: fields)
    if let field = fields[.characteristicUUID] { checked.uuid = uuid(field) }
    if let field = fields[.properties] { checked.properties = properties(field) }
    if let field = fields[.permissions] {
      checked.permissions = options(field, allowed: AttributePermissions.names.map(\.name))
    }
    checked.value = bytes(fields, .value, orText: .text)
    if let field = fields[.behavior] {
      let (behavior, source) = behavior(field)
      checked.behavior = behavior
      checked.source = source
    }
    if let field = fields[.firstValue] ?? fields[.initialText] {
      checked.initialValue = bytes(fields, .firstValue, orText: .initialText) ?? []
      if fields.has(.value) || fields.has(.text) || fields.has(.behavior) {
        faults.error(
          at: field.node.offset, field.path,
          found: "\(fields.has(.firstValue) ? "InitialValue" : "InitialText") as well as "
            + (fields.has(.behavior) ? "Behavior" : fields.has(.value) ? "Value" : "Text"),
          expected: "one of them")
      }
    }
    checked.answerDelay = seconds(fields, .answerDelay, in: Profile.Characteristic.answerDelays)
    if let field = fields[.descriptors] { checked.descriptors = descriptors(field) }
    checkCachedValue(checked)
    checkAccess(checked)
    return checked
  }

  private mutating func properties(_ field: Field) -> CharacteristicProperties? {
    guard let properties: CharacteristicProperties = options(field, allowed: Self.localProperties) else { return nil }
    let refused = properties.intersection([.broadcast, .extendedProperties])
    guard refused.isEmpty else {
      faults.error(
        at: field.node.offset, field.path, found: Quote.list(refused.memberNames, "and"),
        expected: (isAccessory ? "" : "properties that Core Bluetooth allows for local characteristics: ")
          + Quote.list(Self.localProperties))
      return nil
    }
    if properties.isEmpty, case .array(let nodes) = field.node.value, nodes.isEmpty {
      faults.error(
        at: field.node.offset, field.path, found: "an empty array",
        expected: "at least one of \(Quote.list(Self.localProperties))")
      return nil
    }
    return properties
  }

  private mutating func checkCachedValue(_ checked: CheckedCharacteristic) {
    let fields = checked.fields
    guard let value = fields[.value] ?? fields[.text] else { return }
    let key = fields[.value] == nil ? SchemaKey.text.name : SchemaKey.value.name
    if let delay = fields[.answerDelay] {
      faults.error(
        at: delay.node.offset, delay.path, found: "AnswerDelay as well as \(key)",
        expected: "one of them: the system answers cached values, without the app")
    }
    let reason =
      isAccessory
      ? "" : ", as Core Bluetooth demands: \"Characteristics with cached values must be read-only\""
    if fields.has(.behavior) {
      faults.error(
        at: value.node.offset, value.path, found: "\(key) as well as Behavior",
        expected: "one of them: a cached value never changes")
      return
    }
    if let properties = checked.properties, properties != .read,
      let field = fields[.properties]
    {
      faults.error(
        at: field.node.offset, field.path, found: "\(properties) with a cached \(key)",
        expected: "read alone\(reason)",
        fix: "without \(key) the characteristic is dynamic")
    }
    let readable = [AttributePermissions.readable, .readEncryptionRequired, [.readable, .readEncryptionRequired]]
    if let permissions = checked.permissions, !readable.contains(permissions), let field = fields[.permissions] {
      faults.error(
        at: field.node.offset, field.path,
        found: "\(permissions.isEmpty ? "no permission" : permissions.description) with a cached \(key)",
        expected: "readable or readEncryptionRequired alone\(reason)",
        fix: "without \(key) the characteristic is dynamic")
    }
  }

  /// Reports properties and permissions that contradict each other, and values that no central can see.
  private mutating func checkAccess(_ checked: CheckedCharacteristic) {
    let fields = checked.fields
    guard let properties = checked.properties else { return }
    let canRead = properties.contains(.read)
    let canWrite = !properties.isDisjoint(with: .writable)
    let canSubscribe = !properties.isDisjoint(with: .subscribable)
    if let behavior = fields[.behavior], isTable(behavior) {
      if !canWrite {
        faults.error(
          at: behavior.node.offset, behavior.path, found: "responses of a characteristic that no central can write",
          expected: "write or writeWithoutResponse among the properties")
      }
    } else if let behavior = fields[.behavior], !canRead, !canSubscribe {
      faults.error(
        at: behavior.node.offset, behavior.path, found: "a behavior whose values no central can see",
        expected: "read, notify or indicate among the properties")
    }
    if let delay = fields[.answerDelay], !checked.isCached, !canRead, !canWrite {
      faults.warn(
        at: delay.node.offset, delay.path, found: "an AnswerDelay for a characteristic that only notifies",
        expected: "a property that reads or writes: there is nothing to answer")
    }
    guard !checked.isCached, let permissions = checked.permissions, let field = fields[.permissions] else { return }
    let names = permissions.isEmpty ? "no permission" : "\(permissions)"
    if canRead, !permissions.allowsReading {
      faults.warn(
        at: field.node.offset, field.path, found: "\(names) for the property read",
        expected: "readable or readEncryptionRequired: reads are refused")
    }
    if canWrite, !permissions.allowsWriting {
      faults.warn(
        at: field.node.offset, field.path, found: "\(names) for a property that writes",
        expected: "writeable or writeEncryptionRequired: writes are refused")
    }
    if !canWrite, permissions.allowsWriting {
      faults.warn(
        at: field.node.offset, field.path, found: "\(names) without a property that writes",
        expected: "write or writeWithoutResponse among the properties: no central will write")
    }
    if permissions.contains(.readEncryptionRequired), !permissions.contains(.readable), checked.sendsOpenly,
      let field = fields[.properties]
    {
      faults.warn(
        at: field.node.offset, field.path, found: "\(properties) with the permission readEncryptionRequired",
        expected: "notifyEncryptionRequired or indicateEncryptionRequired alone: updates are sent over an open link too"
      )
    }
  }

  /// Checks that the source of each echo exists and can be written.
  private mutating func checkSources(_ checked: [CheckedCharacteristic], isComplete: Bool) {
    var positions: [BluetoothUUID: Int] = [:]
    for (index, characteristic) in checked.enumerated() {
      if let uuid = characteristic.uuid, positions[uuid] == nil { positions[uuid] = index }
    }
    for characteristic in checked {
      guard case .echo(let echo)? = characteristic.behavior else { continue }
      guard let source = echo.source, let field = characteristic.source else {
        guard let properties = characteristic.properties, properties.isDisjoint(with: .writable),
          let behavior = characteristic.fields[.behavior], characteristic.source == nil, !isFaultySource(behavior)
        else { continue }
        faults.warn(
          at: behavior.node.offset, behavior.path, found: "an echo of a characteristic that no central can write",
          expected: "write or writeWithoutResponse among the properties, or a Source")
        continue
      }
      guard let position = positions[source] else {
        if isComplete {
          error(
            field, found: "\(source), which this service does not have",
            expected: "the UUID of a characteristic of the same service")
        }
        continue
      }
      if let properties = checked[position].properties, properties.isDisjoint(with: .writable) {
        faults.warn(
          at: field.node.contentOffset, field.path, found: "\(source), which no central can write",
          expected: "a characteristic with write or writeWithoutResponse among its properties")
      }
    }
  }

  private func isFaultySource(_ behavior: Field) -> Bool {
    guard case .dictionary(let dictionary) = behavior.node.value else { return false }
    return dictionary[SchemaKey.source.name] != nil
  }
}
