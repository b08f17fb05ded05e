public import GATT

/// What an app asks to have advertised: the two keys that `startAdvertising` takes.
public struct AdvertisementRequest: Hashable, Codable, Sendable {
  /// `CBAdvertisementDataLocalNameKey`.
  public var localName: String?
  /// `CBAdvertisementDataServiceUUIDsKey`.
  public var serviceUUIDs: [BluetoothUUID]

  public init(localName: String?, serviceUUIDs: [BluetoothUUID]) {
    self.localName = localName
    self.serviceUUIDs = serviceUUIDs
  }
}
