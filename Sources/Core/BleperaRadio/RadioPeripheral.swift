package import BleperaBluetooth

/// A peripheral to which the radio is connected.
package struct RadioPeripheral: Hashable, Sendable {
  /// The identity address where it is known, otherwise the address of the connection.
  package let id: PeripheralID
  package let isBonded: Bool
  /// The ATT_MTU of the link, in bytes; 23 until it is exchanged.
  package let mtu: Int
  /// The Device Name; nil until it is read, and of a peripheral without one.
  package let name: String?

  package init(id: PeripheralID, isBonded: Bool, mtu: Int, name: String? = nil) {
    self.id = id
    self.isBonded = isBonded
    self.mtu = mtu
    self.name = name
  }
}

/// The number of an operation, assigned by the phone.
package struct PeripheralOperationID: RawRepresentable, Hashable, Sendable {
  package let rawValue: Int
  package init(rawValue: Int) { self.rawValue = rawValue }
}
