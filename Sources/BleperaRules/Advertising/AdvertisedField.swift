package import BleperaBluetooth

/// A field that an app requests to advertise.
package enum AdvertisedField: Hashable, Sendable, CustomStringConvertible {
  case localName(String)
  case serviceUUID(BluetoothUUID)

  package var description: String {
    switch self {
    case .localName(let name): "\"\(name)\""
    case .serviceUUID(let uuid): "\(uuid)"
    }
  }
}

extension AdvertisementData {
  /// The fields one by one, without repeated UUIDs and without an empty name.
  var all: [AdvertisedField] {
    uniqueServiceUUIDs.map { .serviceUUID($0) } + (effectiveName.map { [.localName($0)] } ?? [])
  }

  /// The UUIDs without repeated ones.
  var uniqueServiceUUIDs: [BluetoothUUID] {
    guard serviceUUIDs.count > 1 else { return serviceUUIDs }
    var seen: Set<BluetoothUUID> = []
    return serviceUUIDs.filter { seen.insert($0).inserted }
  }

  /// The data without an empty name.
  var normalized: AdvertisementData { AdvertisementData(localName: effectiveName, serviceUUIDs: serviceUUIDs) }

  /// The local name; nil where it is missing or empty.
  var effectiveName: String? { localName.flatMap { $0.isEmpty ? nil : $0 } }
}
