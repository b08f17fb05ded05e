package import BleperaBluetooth

/// The arguments of `centralManager(_:didDiscover:advertisementData:rssi:)`.
package struct Discovery: Equatable, Sendable {
  /// `CBAdvertisementDataLocalNameKey`.
  package var localName: String?
  /// `CBAdvertisementDataServiceUUIDsKey`.
  package var serviceUUIDs: [BluetoothUUID] = []
  /// `CBAdvertisementDataOverflowServiceUUIDsKey`.
  package var overflowServiceUUIDs: [OverflowMatch] = []
  /// `CBAdvertisementDataSolicitedServiceUUIDsKey`.
  package var solicitedServiceUUIDs: [BluetoothUUID] = []
  /// `CBAdvertisementDataManufacturerDataKey`, by company identifier. The system does not report Apple's own data,
  /// which includes the overflow area.
  package var manufacturerData: [UInt16: [UInt8]] = [:]
  /// `CBAdvertisementDataServiceDataKey`.
  package var serviceData: [BluetoothUUID: [UInt8]] = [:]
  /// `CBAdvertisementDataTxPowerLevelKey`, in dBm.
  package var txPowerLevel: Int?
  /// `CBAdvertisementDataIsConnectable`.
  package var isConnectable = true
  /// In dBm.
  package var rssi: Int?
}

/// A requested UUID whose bit of the overflow area is set: an element of `CBAdvertisementDataOverflowServiceUUIDsKey`.
///
/// The match may be false, because one UUID in 128 has the same bit. Only a connection can confirm the UUID.
package struct OverflowMatch: Equatable, Sendable {
  package let uuid: BluetoothUUID
  package let bit: Int
  /// The other requested UUIDs with this bit: iOS reports all of them for one bit.
  package let rivals: [BluetoothUUID]

  /// The requested UUIDs whose bits are set, in their order.
  package static func all(of requested: [BluetoothUUID], in area: OverflowArea) -> [OverflowMatch] {
    requested.filter(area.contains).map { uuid in
      let bit = OverflowArea.bit(of: uuid)
      return OverflowMatch(
        uuid: uuid, bit: bit, rivals: requested.filter { $0 != uuid && OverflowArea.bit(of: $0) == bit })
    }
  }
}

/// Why an app does not receive an advertisement that is on the air.
package enum IgnoreReason: String, Hashable, Sendable, CaseIterable {
  case notScanning
  /// The advertisement was sent between two scan windows.
  case betweenWindows
  /// A scan in the background must specify services.
  case needsServices
  /// None of the requested services is advertised.
  case noSuchService
  /// A requested service has its bit set, but the overflow area is ignored while the screen is off.
  case overflowUnread
  /// A requested service is in the scan response, which a scan in the background does not receive.
  case inScanResponse
  /// The peripheral has already been reported.
  case reported
}
