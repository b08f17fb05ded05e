public import GATT

extension Profile {
  /// The two keys that `startAdvertising` takes.
  public struct Advertisement: Hashable, Sendable {
    /// `CBAdvertisementDataLocalNameKey`.
    public var localName: String?
    /// `CBAdvertisementDataServiceUUIDsKey`.
    public var serviceUUIDs: [BluetoothUUID]

    public init(localName: String? = nil, serviceUUIDs: [BluetoothUUID] = []) {
      self.localName = localName
      self.serviceUUIDs = serviceUUIDs
    }
  }
}
