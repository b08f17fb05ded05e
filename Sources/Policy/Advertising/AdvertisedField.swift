package import GATT

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
