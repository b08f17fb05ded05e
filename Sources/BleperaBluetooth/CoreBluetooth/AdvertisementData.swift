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

  /// What several managers of an app request together: the first name and all UUIDs; nil for no request.
  public static func joined(_ requests: [AdvertisementData]) -> AdvertisementData? {
    guard let first = requests.first, requests.count > 1 else { return requests.first }
    return AdvertisementData(
      localName: requests.lazy.compactMap(\.localName).first ?? first.localName,
      serviceUUIDs: requests.flatMap(\.serviceUUIDs))
  }
}
