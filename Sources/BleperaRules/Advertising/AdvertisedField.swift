package import BleperaBluetooth

/// One thing that an app asks to have advertised.
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
  /// Each field by itself, a UUID that is repeated once only; an empty name is none.
  var all: [AdvertisedField] {
    var seen: Set<BluetoothUUID> = []
    return serviceUUIDs.filter { seen.insert($0).inserted }.map { .serviceUUID($0) }
      + (effectiveName.map { [.localName($0)] } ?? [])
  }

  /// The same without an empty name.
  var normalized: AdvertisementData { AdvertisementData(localName: effectiveName, serviceUUIDs: serviceUUIDs) }

  /// The name, where it is not empty.
  var effectiveName: String? { localName.flatMap { $0.isEmpty ? nil : $0 } }
}
