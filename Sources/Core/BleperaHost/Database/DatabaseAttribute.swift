package import BleperaBluetooth

/// A service of a host's database.
struct DatabaseService: Hashable, Sendable {
  /// Nil for bluetoothd's own services.
  let application: ApplicationID?
  /// The position in its application.
  let place: Int
  let uuid: BluetoothUUID
  let isPrimary: Bool
  let range: ClosedRange<AttributeHandle>
  /// In ascending order of handles.
  let attributes: [DatabaseAttribute]
}

/// An attribute of a host's database.
struct DatabaseAttribute: Hashable, Sendable {
  /// The source of an attribute's value.
  enum Content: Hashable, Sendable {
    case fixed([UInt8])
    /// The application responds.
    case application(ApplicationObject)
    /// Stored for each central.
    case clientConfiguration(of: AttributeHandle)
    case deviceName
    case databaseHash
    case clientFeatures
  }

  let handle: AttributeHandle
  let type: BluetoothUUID
  let content: Content
  let access: AttributeAccess
  /// The flags of the characteristic or descriptor.
  var flags: AttributeFlags = []
}

/// The types of attributes that the database itself creates (Assigned Numbers, 3.5 to 3.8).
package enum AttributeTypes {
  package static let primaryService = uuid(0x2800)
  package static let secondaryService = uuid(0x2801)
  package static let include = uuid(0x2802)
  package static let characteristic = uuid(0x2803)
  package static let extendedProperties = uuid(0x2900)
  package static let clientConfiguration = uuid(0x2902)

  package static let genericAccess = uuid(0x1800)
  package static let genericAttribute = uuid(0x1801)
  package static let deviceInformation = uuid(0x180A)
  package static let deviceName = uuid(0x2A00)
  package static let appearance = uuid(0x2A01)
  package static let centralAddressResolution = uuid(0x2AA6)
  package static let serviceChanged = uuid(0x2A05)
  package static let batteryService = uuid(0x180F)
  package static let batteryLevel = uuid(0x2A19)
  package static let pnpID = uuid(0x2A50)
  package static let clientFeatures = uuid(0x2B29)
  package static let databaseHash = uuid(0x2B2A)
  package static let serverFeatures = uuid(0x2B3A)

  private static func uuid(_ value: UInt16) -> BluetoothUUID { BluetoothUUID(value) }
}

/// The link security that reading and writing require; nil if not permitted.
struct AttributeAccess: Hashable, Sendable {
  var reading: LinkSecurity?
  var writing: LinkSecurity?

  static let readable = AttributeAccess(reading: .open)

  /// Whether nothing is permitted, which bluetoothd treats as no restriction (`check_permissions`, measured with a
  /// characteristic that has only `notify`).
  var isEmpty: Bool { reading == nil && writing == nil }

  func refusal(ofReadingOver link: LinkSecurity) -> ATTError? {
    guard let reading else { return .readNotPermitted }
    return link >= reading ? nil : reading.refusal
  }

  func refusal(ofWritingOver link: LinkSecurity) -> ATTError? {
    guard let writing else { return .writeNotPermitted }
    return link >= writing ? nil : writing.refusal
  }
}

/// The security level that a link has or an access requires.
package enum LinkSecurity: Int, Comparable, Sendable {
  case open
  case encrypted
  /// Encrypted with an authenticated key (MITM protection).
  case authenticated

  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// The error for a link below this required level (BlueZ src/shared/gatt-server.c `check_permissions`).
  var refusal: ATTError { self == .authenticated ? .insufficientAuthentication : .insufficientEncryption }
}
