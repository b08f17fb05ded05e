package import BleperaBluetooth

/// The arguments of `scanForPeripherals(withServices:options:)`.
package struct ScanRequest: Sendable {
  /// Without repetitions; empty for `nil`, which discovers every peripheral but matches no overflow bits.
  package let services: [BluetoothUUID]
  /// `CBCentralManagerScanOptionAllowDuplicatesKey`; iOS ignores this option in the background.
  package let allowsDuplicates: Bool

  package init(services: [BluetoothUUID] = [], allowsDuplicates: Bool = false) {
    var seen: Set<BluetoothUUID> = []
    self.services = services.filter { seen.insert($0).inserted }
    self.allowsDuplicates = allowsDuplicates
  }
}
