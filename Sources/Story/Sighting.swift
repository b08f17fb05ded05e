public import GATT

/// What a central looks for in what it hears of a phone.
public enum Sighting: Hashable, Sendable {
  /// The UUID is advertised as such.
  case service(BluetoothUUID)
  /// The UUID's bit is set in the overflow area; another UUID may have set it.
  case overflow(BluetoothUUID)
  case localName(String)
  /// Anything of the phone's.
  case anything

  /// What an iPhone's app has to ask for to be told of it; nothing hears everything, and no bit of the overflow area.
  var services: [BluetoothUUID] {
    switch self {
    case .service(let uuid), .overflow(let uuid): [uuid]
    case .localName, .anything: []
    }
  }
}

extension Sighting: CustomStringConvertible {
  public var description: String {
    switch self {
    case .service(let uuid): "\(uuid)"
    case .overflow(let uuid): "\(uuid) in the overflow area"
    case .localName(let name): "the local name \"\(name)\""
    case .anything: "anything"
    }
  }
}
