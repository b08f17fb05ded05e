package import BleperaBluetooth

/// The arguments of `scanForPeripherals(withServices:options:)`.
package struct ScanRequest: Sendable {
  /// Each once; empty for `nil`, which finds everything and nothing by its bit.
  package let services: [BluetoothUUID]
  /// `CBCentralManagerScanOptionAllowDuplicatesKey`; iOS passes over it in the background.
  package let allowsDuplicates: Bool

  package init(services: [BluetoothUUID] = [], allowsDuplicates: Bool = false) {
    var seen: Set<BluetoothUUID> = []
    self.services = services.filter { seen.insert($0).inserted }
    self.allowsDuplicates = allowsDuplicates
  }
}
