public import BleperaBluetooth

/// The advertisement for which a central scans.
public enum ScanTarget: Hashable, Sendable {
  /// A UUID in the list of service UUIDs.
  case service(BluetoothUUID)
  /// A UUID whose bit is set in the overflow area; another UUID may have set the bit.
  case overflow(BluetoothUUID)
  /// The local name is advertised.
  case localName(String)
  /// Any advertisement of a phone, also what it sends without an app.
  case anything

  /// The services for which an iPhone's app must scan to discover the target. Empty means all advertisements, but no
  /// bit of the overflow area.
  var services: [BluetoothUUID] {
    switch self {
    case .service(let uuid), .overflow(let uuid): [uuid]
    case .localName, .anything: []
    }
  }
}

extension ScanTarget: CustomStringConvertible {
  public var description: String {
    switch self {
    case .service(let uuid): "\(uuid)"
    case .overflow(let uuid): "\(uuid) in the overflow area"
    case .localName(let name): "the local name \"\(name)\""
    case .anything: "anything"
    }
  }
}
