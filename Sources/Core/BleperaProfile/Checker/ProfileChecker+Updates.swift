import BleperaBluetooth
import BleperaPropertyLists

/// Warns of characteristics that can be subscribed to and never change.
extension ProfileChecker {
  /// A characteristic that a behavior names, such as the source of an echo, may get its updates from that behavior.
  mutating func checkUpdates(_ checked: [CheckedCharacteristic]) {
    var named: Set<BluetoothUUID>?
    for characteristic in checked {
      let fields = characteristic.fields
      guard let properties = characteristic.properties, !properties.isDisjoint(with: .subscribable),
        !characteristic.isCached, fields.lacks(.behavior), let field = fields[.properties]
      else { continue }
      let others =
        named
        ?? checked.reduce(into: []) { uuids, other in
          if let behavior = other.fields[.behavior] { Self.collectUUIDs(of: behavior.node, into: &uuids) }
        }
      named = others
      if let uuid = characteristic.uuid, others.contains(uuid) { continue }
      let names = properties.intersection(.subscribable).memberNames
      faults.warn(
        at: field.node.offset, field.path, found: "\(Quote.list(names, "and")) without a source of values",
        expected: "a Behavior: without it only 'blepera notify' sends updates")
    }
  }

  private static func collectUUIDs(of node: PropertyListNode, into uuids: inout Set<BluetoothUUID>) {
    switch node.value {
    case .string(let text):
      if text.utf8.count <= 36, let uuid = BluetoothUUID(text) { uuids.insert(uuid) }
    case .array(let nodes): for node in nodes { collectUUIDs(of: node, into: &uuids) }
    case .dictionary(let dictionary): for entry in dictionary.entries { collectUUIDs(of: entry.node, into: &uuids) }
    case .integer, .real, .boolean, .date, .data, .faulty: break
    }
  }
}
