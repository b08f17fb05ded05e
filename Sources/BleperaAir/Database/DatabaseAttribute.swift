package import BleperaBluetooth

/// A service of an adapter's database.
struct DatabaseService: Hashable, Sendable {
  /// Nil for bluetoothd's own.
  let application: ApplicationID?
  /// The place in its application.
  let place: Int
  let uuid: BluetoothUUID
  let isPrimary: Bool
  let range: ClosedRange<AttributeHandle>
  /// Ascending.
  let attributes: [DatabaseAttribute]
}

/// One attribute of an adapter's database.
struct DatabaseAttribute: Hashable, Sendable {
  /// Where its value is.
  enum Content: Hashable, Sendable {
    case fixed([UInt8])
    /// The application answers.
    case application(ApplicationObject)
    /// Kept for each central.
    case clientConfiguration(of: AttributeHandle)
    case deviceName
    case databaseHash
    case clientFeatures
  }

  let handle: AttributeHandle
  let type: BluetoothUUID
  let content: Content
  let access: AttributeAccess
  /// Of the characteristic or descriptor it is of.
  var flags: AttributeFlags = []
}

/// The types of attributes that the database itself makes (Assigned Numbers, 3.5 to 3.8).
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
  package static let pnpID = uuid(0x2A50)
  package static let clientFeatures = uuid(0x2B29)
  package static let databaseHash = uuid(0x2B2A)
  package static let serverFeatures = uuid(0x2B3A)

  private static func uuid(_ value: UInt16) -> BluetoothUUID { BluetoothUUID(value) }
}

/// Who may read and write an attribute; nil for nobody.
struct AttributeAccess: Hashable, Sendable {
  var reading: LinkSecurity?
  var writing: LinkSecurity?

  static let readable = AttributeAccess(reading: .open)

  /// bluetoothd takes this for no rule at all and permits everything (`check_permissions`, measured with a
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

/// How well a link is secured, or must be.
package enum LinkSecurity: Int, Comparable, Sendable {
  case open
  case encrypted
  /// Encrypted with a key that nobody in the middle can have.
  case authenticated

  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// What an access that needs this gets on a link that is less (BlueZ src/shared/gatt-server.c `check_permissions`).
  var refusal: ATTError { self == .authenticated ? .insufficientAuthentication : .insufficientEncryption }
}
