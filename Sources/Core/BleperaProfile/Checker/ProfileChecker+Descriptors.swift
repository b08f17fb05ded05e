import BleperaBluetooth
import BleperaPropertyLists

/// Checks descriptors: Core Bluetooth documents two and publishes all but three.
extension ProfileChecker {
  mutating func descriptors(_ field: Field) -> [DescriptorDefinition] {
    guard case .array(let nodes) = field.node.value else { return [] }
    var descriptors: [DescriptorDefinition] = []
    var seen: Set<BluetoothUUID> = []
    for (index, node) in nodes.enumerated() {
      guard let fields = fields(of: node, .descriptor, field.path.index(index)) else { continue }
      let permissions = descriptorPermissions(fields)
      guard let field = fields[.descriptorUUID], let uuid = uuid(field), allows(uuid, field) else { continue }
      if !seen.insert(uuid).inserted {
        error(field, found: "\(uuid) a second time", expected: "one descriptor of each UUID")
      }
      guard let value = descriptorValue(of: uuid, fields) else { continue }
      descriptors.append(DescriptorDefinition(uuid: uuid, value: value, permissions: permissions))
    }
    return descriptors
  }

  private mutating func allows(_ uuid: BluetoothUUID, _ field: Field) -> Bool {
    if let name = DescriptorDefinition.refused[uuid] {
      let reason = isAccessory ? "" : ": Core Bluetooth refuses this one (CBError.invalidParameters)"
      error(field, found: "\(uuid), \(name), which the system makes", expected: "another descriptor\(reason)")
      return false
    }
    let documented = [DescriptorDefinition.userDescription, DescriptorDefinition.presentationFormat]
    guard !isAccessory, !documented.contains(uuid) else { return true }
    faults.warn(
      at: field.node.contentOffset, field.path, found: "\(uuid)",
      expected: "2901 or 2904: Core Bluetooth publishes other descriptors, but Apple does not document it")
    return true
  }

  private mutating func descriptorValue(of uuid: BluetoothUUID, _ fields: Fields) -> [UInt8]? {
    require(fields, .descriptorValue, orText: .descriptorText)
    if uuid == DescriptorDefinition.userDescription, let field = fields[.descriptorValue] {
      faults.error(
        at: field.node.offset, field.path, found: field.node.value.summary,
        expected: "Text for 2901, Characteristic User Description")
      return nil
    }
    let value = bytes(fields, .descriptorValue, orText: .descriptorText)
    guard uuid == DescriptorDefinition.presentationFormat, let value, value.count != 7 || fields.has(.descriptorText),
      let field = fields[.descriptorText] ?? fields[.descriptorValue]
    else { return value }
    faults.error(
      at: field.node.offset, field.path,
      found: fields.has(.descriptorText) ? "text" : Quote.counted(value.count, "byte"),
      expected: "a Value of 7 bytes for 2904, Characteristic Presentation Format")
    return nil
  }

  private mutating func descriptorPermissions(_ fields: Fields) -> AttributePermissions {
    guard let field = fields[.descriptorPermissions],
      let permissions: AttributePermissions = options(field, allowed: AttributePermissions.names.map(\.name))
    else { return .readable }
    if permissions.rawValue != AttributePermissions.readable.rawValue, !isAccessory || permissions.allowsWriting {
      faults.warn(
        at: field.node.offset, field.path,
        found: permissions.isEmpty ? "no permission" : "\(permissions)",
        expected: isAccessory
          ? "readable or readEncryptionRequired: an accessory's descriptors can only be read"
          : "readable: Core Bluetooth's descriptors can only be read, anything else is blepera's own")
    }
    return permissions
  }
}
