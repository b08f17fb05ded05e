package import GATT

/// An attribute by its UUIDs.
package struct AttributeName: Hashable, Sendable {
  package let service: BluetoothUUID
  package let characteristic: BluetoothUUID
  /// Nil for the characteristic's value.
  package let descriptor: BluetoothUUID?

  package init(service: BluetoothUUID, characteristic: BluetoothUUID, descriptor: BluetoothUUID? = nil) {
    self.service = service
    self.characteristic = characteristic
    self.descriptor = descriptor
  }
}
