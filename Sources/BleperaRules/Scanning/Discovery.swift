package import BleperaBluetooth

/// The arguments of `centralManager(_:didDiscover:advertisementData:rssi:)`.
package struct Discovery: Equatable, Sendable {
  /// `CBAdvertisementDataLocalNameKey`.
  package var localName: String?
  /// `CBAdvertisementDataServiceUUIDsKey`.
  package var serviceUUIDs: [BluetoothUUID] = []
  /// `CBAdvertisementDataOverflowServiceUUIDsKey`.
  package var overflowServiceUUIDs: [OverflowMatch] = []
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
