package import BleperaBluetooth

/// What `centralManager(_:didDiscover:advertisementData:rssi:)` is called with.
package struct Discovery: Equatable, Sendable {
  /// `CBAdvertisementDataLocalNameKey`.
  package var localName: String?
  /// `CBAdvertisementDataServiceUUIDsKey`.
  package var serviceUUIDs: [BluetoothUUID] = []
  /// `CBAdvertisementDataOverflowServiceUUIDsKey`.
  package var overflowServiceUUIDs: [OverflowMatch] = []
  /// `CBAdvertisementDataManufacturerDataKey`, by company identifier. What is Apple's own, the overflow area among it,
  /// stays with the system.
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
