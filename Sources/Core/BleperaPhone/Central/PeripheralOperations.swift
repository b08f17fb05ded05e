import BleperaBluetooth
import BleperaRadio

/// The operations under way at the radio, with the peripheral of each.
struct PeripheralOperations {
  private var last = 0
  private var peripherals: [PeripheralOperationID: PeripheralID] = [:]

  mutating func begin(at peripheral: PeripheralID) -> PeripheralOperationID {
    last += 1
    let id = PeripheralOperationID(rawValue: last)
    peripherals[id] = peripheral
    return id
  }

  /// - Returns: the peripheral; nil for an operation that nobody waits for any more.
  mutating func end(_ id: PeripheralOperationID) -> PeripheralID? { peripherals.removeValue(forKey: id) }

  /// Forgets the operations of a peripheral, or of all.
  mutating func forget(at peripheral: PeripheralID? = nil) {
    peripherals = peripherals.filter { peripheral != nil && $0.value != peripheral }
  }
}
