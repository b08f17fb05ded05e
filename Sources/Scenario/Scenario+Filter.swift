package import GATT

extension Scenario {
  /// What a central looks for. What is nil does not matter; the rest has to hold together.
  package struct Filter: Hashable, Sendable {
    package var localName: String?
    /// Advertised as such.
    package var serviceUUID: BluetoothUUID?
    /// Whose bit of the overflow area is set.
    package var overflowUUID: BluetoothUUID?
    /// Whose bits, all of them and no others, are set: the mistake of a scanner that compares the whole mask.
    package var overflowMask: [BluetoothUUID]?
    /// The argument of `scanForPeripherals(withServices:)`, of an iPhone's app.
    package var services: [BluetoothUUID]?
    package var phone: String?

    package init(
      localName: String? = nil, serviceUUID: BluetoothUUID? = nil, overflowUUID: BluetoothUUID? = nil,
      services: [BluetoothUUID]? = nil
    ) {
      self.localName = localName
      self.serviceUUID = serviceUUID
      self.overflowUUID = overflowUUID
      self.services = services
    }
  }
}
