/// An error code of the Attribute Protocol (Core Specification, Vol 3, Part F, 3.4.1.1), named as `CBATTError` does
/// where Core Bluetooth has a name for it.
public struct ATTError: RawRepresentable, Error, Hashable, Codable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let invalidHandle = Self(rawValue: 0x01)
  public static let readNotPermitted = Self(rawValue: 0x02)
  public static let writeNotPermitted = Self(rawValue: 0x03)
  public static let invalidPdu = Self(rawValue: 0x04)
  public static let insufficientAuthentication = Self(rawValue: 0x05)
  public static let requestNotSupported = Self(rawValue: 0x06)
  public static let invalidOffset = Self(rawValue: 0x07)
  public static let insufficientAuthorization = Self(rawValue: 0x08)
  public static let prepareQueueFull = Self(rawValue: 0x09)
  public static let attributeNotFound = Self(rawValue: 0x0A)
  public static let attributeNotLong = Self(rawValue: 0x0B)
  public static let insufficientEncryptionKeySize = Self(rawValue: 0x0C)
  public static let invalidAttributeValueLength = Self(rawValue: 0x0D)
  public static let unlikelyError = Self(rawValue: 0x0E)
  public static let insufficientEncryption = Self(rawValue: 0x0F)
  public static let unsupportedGroupType = Self(rawValue: 0x10)
  public static let insufficientResources = Self(rawValue: 0x11)
  public static let databaseOutOfSync = Self(rawValue: 0x12)
  public static let valueNotAllowed = Self(rawValue: 0x13)
  /// Core Specification Supplement, Part B: the common profile errors.
  public static let writeRequestRejected = Self(rawValue: 0xFC)
  public static let cccdImproperlyConfigured = Self(rawValue: 0xFD)
  public static let procedureAlreadyInProgress = Self(rawValue: 0xFE)
  public static let outOfRange = Self(rawValue: 0xFF)

  /// The codes that the specification leaves to the application: 0x80 to 0x9F.
  public static let applicationRange: ClosedRange<UInt8> = 0x80...0x9F

  public static let names: [(name: String, error: ATTError)] = [
    ("invalidHandle", .invalidHandle), ("readNotPermitted", .readNotPermitted),
    ("writeNotPermitted", .writeNotPermitted), ("invalidPdu", .invalidPdu),
    ("insufficientAuthentication", .insufficientAuthentication), ("requestNotSupported", .requestNotSupported),
    ("invalidOffset", .invalidOffset), ("insufficientAuthorization", .insufficientAuthorization),
    ("prepareQueueFull", .prepareQueueFull), ("attributeNotFound", .attributeNotFound),
    ("attributeNotLong", .attributeNotLong), ("insufficientEncryptionKeySize", .insufficientEncryptionKeySize),
    ("invalidAttributeValueLength", .invalidAttributeValueLength), ("unlikelyError", .unlikelyError),
    ("insufficientEncryption", .insufficientEncryption), ("unsupportedGroupType", .unsupportedGroupType),
    ("insufficientResources", .insufficientResources), ("databaseOutOfSync", .databaseOutOfSync),
    ("valueNotAllowed", .valueNotAllowed), ("writeRequestRejected", .writeRequestRejected),
    ("cccdImproperlyConfigured", .cccdImproperlyConfigured),
    ("procedureAlreadyInProgress", .procedureAlreadyInProgress), ("outOfRange", .outOfRange),
  ]

  public var name: String? { Self.names.first { $0.error == self }?.name }

  public init(from decoder: any Decoder) throws {
    self.init(rawValue: try decoder.singleValueContainer().decode(UInt8.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}

extension ATTError: CustomStringConvertible {
  /// `0x0F insufficientEncryption`, or the code alone where it has no name.
  public var description: String {
    let code = "0x" + Hex.string([rawValue])
    return name.map { "\(code) \($0)" } ?? code
  }
}
