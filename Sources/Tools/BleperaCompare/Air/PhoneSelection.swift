package import BleperaBluetooth

/// How a phone is recognized among others on the air.
package struct PhoneSelection: Hashable, Sendable {
  /// Services of the phone's app. The phone advertises one of them, or sets its bit in the overflow area.
  package var services: [BluetoothUUID]
  package var addresses: Set<UInt64>
  /// Resolves the addresses of all the phone's sets.
  package var key: IdentityResolvingKey?

  package init(services: [BluetoothUUID] = [], addresses: Set<UInt64> = [], key: IdentityResolvingKey? = nil) {
    self.services = services
    self.addresses = addresses
    self.key = key
  }

  func has(_ address: UInt64) -> Bool { addresses.contains(address) || key?.resolves(address) ?? false }

  func has(_ content: PhoneContent) -> Bool {
    services.contains { service in
      content.services.contains(service) || content.overflow?.contains(service) ?? false
    }
  }
}
