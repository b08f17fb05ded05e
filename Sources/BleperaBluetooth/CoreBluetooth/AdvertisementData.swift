/// The advertisement that an app requests: the two keys that `startAdvertising` supports.
public struct AdvertisementData: Hashable, Codable, Sendable {
  /// `CBAdvertisementDataLocalNameKey`.
  public var localName: String?
  /// `CBAdvertisementDataServiceUUIDsKey`.
  public var serviceUUIDs: [BluetoothUUID]

  /// Creates what an app passes to `startAdvertising`.
  public init(localName: String? = nil, serviceUUIDs: [BluetoothUUID] = []) {
    self.localName = localName
    self.serviceUUIDs = serviceUUIDs
  }

  /// What several managers of an app request together: the first name and all UUIDs; nil for no request.
  public static func joined(_ requests: [AdvertisementData]) -> AdvertisementData? {
    guard !requests.isEmpty else { return nil }
    return AdvertisementData(
      localName: requests.lazy.compactMap(\.localName).first, serviceUUIDs: requests.flatMap(\.serviceUUIDs))
  }
}
