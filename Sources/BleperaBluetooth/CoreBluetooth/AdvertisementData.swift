/// What an app asks to have advertised: the two keys that `startAdvertising` takes.
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
