package import GATT

/// The two keys that `startAdvertising` takes.
package struct AdvertisedFields: Hashable, Sendable {
  package let localName: String?
  package let serviceUUIDs: [BluetoothUUID]

  /// An empty name is none.
  package init(localName: String? = nil, serviceUUIDs: [BluetoothUUID] = []) {
    self.localName = localName.flatMap { $0.isEmpty ? nil : $0 }
    self.serviceUUIDs = serviceUUIDs
  }

  /// Each by itself, a UUID that is repeated once only.
  var all: [AdvertisedField] {
    var seen: Set<BluetoothUUID> = []
    return serviceUUIDs.filter { seen.insert($0).inserted }.map { .serviceUUID($0) }
      + (localName.map { [.localName($0)] } ?? [])
  }
}
