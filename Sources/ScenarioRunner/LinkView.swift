package import GATT

/// A central's connection.
package struct LinkView: Hashable, Sendable {
  /// Nil without a connection.
  package var phone: String?
  package var services: [BluetoothUUID]

  package init(phone: String?, services: [BluetoothUUID]) {
    self.phone = phone
    self.services = services
  }
}
