import GATT

/// What a central may do with a characteristic.
enum CentralRequest: String, CaseIterable, Encodable {
  /// Read a cached value.
  case readCached
  /// Read a dynamic value.
  case read
  case write
  case subscribe

  func isPossible(_ characteristic: CharacteristicDefinition) -> Bool {
    let properties = characteristic.properties
    return switch self {
    case .readCached: characteristic.value != nil
    case .read: characteristic.value == nil && properties.contains(.read)
    case .write: !properties.isDisjoint(with: .writable)
    case .subscribe: !properties.isDisjoint(with: .subscribable)
    }
  }
}
