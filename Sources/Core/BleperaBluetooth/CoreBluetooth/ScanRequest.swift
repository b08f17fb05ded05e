/// The arguments of `scanForPeripherals(withServices:options:)`.
package struct ScanRequest: Hashable, Codable, Sendable {
  /// Without repetitions; empty for `nil`, which discovers every peripheral but matches no overflow bits.
  package let services: [BluetoothUUID]
  /// `CBCentralManagerScanOptionAllowDuplicatesKey`; iOS ignores this option in the background.
  package let allowsDuplicates: Bool
  /// `CBCentralManagerScanOptionSolicitedServiceUUIDsKey`: peripherals that solicit one of these are discovered, too.
  package let solicitedServices: [BluetoothUUID]

  package init(
    services: [BluetoothUUID] = [], allowsDuplicates: Bool = false, solicitedServices: [BluetoothUUID] = []
  ) {
    var seen: Set<BluetoothUUID> = []
    self.services = services.filter { seen.insert($0).inserted }
    self.allowsDuplicates = allowsDuplicates
    self.solicitedServices = solicitedServices
  }
}
