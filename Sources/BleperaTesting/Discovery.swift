public import GATT

/// What a central looks for in an advertisement and its scan response.
public enum Discovery: Hashable, Sendable {
  /// The UUID is advertised as such.
  case service(BluetoothUUID)
  /// The UUID's bit is set in the overflow area; another UUID may have set it.
  case overflow(BluetoothUUID)
  case localName(String)
  /// Anything of the phone's.
  case anything

  func matches(_ structures: [ADStructure]) -> Bool {
    switch self {
    case .service(let uuid):
      structures.contains { if case .serviceUUIDs(let list, _) = $0 { list.uuids.contains(uuid) } else { false } }
    case .overflow(let uuid): structures.contains { OverflowArea($0)?.contains(uuid) ?? false }
    case .localName(let name): structures.contains { $0 == .completeLocalName(name) }
    case .anything: true
    }
  }
}
