package import AppLink

/// A central's subscription to one characteristic.
package struct PreservedSubscriber: Hashable, Sendable {
  package var central: CentralID
  package var isBonded: Bool
  package var characteristic: CharacteristicID
  /// The values that are kept for it until it subscribes again, oldest first.
  package var updates: [[UInt8]]

  package init(central: CentralID, isBonded: Bool, characteristic: CharacteristicID, updates: [[UInt8]] = []) {
    self.central = central
    self.isBonded = isBonded
    self.characteristic = characteristic
    self.updates = updates
  }
}

extension PreservedSubscriber: StoredValue {
  init(reading fields: StateReader) throws {
    self.init(
      central: CentralID(rawValue: try fields.value(.central, Text.self)), isBonded: try fields.value(.isBonded),
      characteristic: try fields.value(.characteristic, Record<CharacteristicID>.self),
      updates: try fields.list(.updates, Bytes.self))
  }

  func write(to fields: inout StateWriter) throws {
    try fields.value(central.rawValue, .central, Text.self)
    try fields.value(isBonded, .isBonded)
    try fields.value(characteristic, .characteristic, Record.self)
    try fields.list(updates, .updates, Bytes.self)
  }
}
