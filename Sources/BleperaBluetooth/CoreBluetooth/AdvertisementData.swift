/// The advertisement that an app requests: the two keys that `startAdvertising` supports.
public struct AdvertisementData: Hashable, Codable, Sendable {
  /// `CBAdvertisementDataLocalNameKey`.
  public var localName: String?
  /// `CBAdvertisementDataServiceUUIDsKey`.
  public var serviceUUIDs: [BluetoothUUID]

  public init(localName: String? = nil, serviceUUIDs: [BluetoothUUID] = []) {
    self.localName = localName
    self.serviceUUIDs = serviceUUIDs
  }
}
