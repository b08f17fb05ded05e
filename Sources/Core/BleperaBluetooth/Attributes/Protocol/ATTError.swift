/// An error code of the Attribute Protocol (Core Specification, Vol 3, Part F, 3.4.1.1), named as `CBATTError` does
/// where Core Bluetooth has a name for it.
public struct ATTError: RawRepresentable, Error, Hashable, Codable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// 0x01: the handle is not valid on this server.
  public static let invalidHandle = Self(rawValue: 0x01)
  /// 0x02: the attribute cannot be read.
  public static let readNotPermitted = Self(rawValue: 0x02)
  /// 0x03: the attribute cannot be written.
  public static let writeNotPermitted = Self(rawValue: 0x03)
  /// 0x04: the PDU is not valid.
  public static let invalidPdu = Self(rawValue: 0x04)
  /// 0x05: the link must be authenticated.
  public static let insufficientAuthentication = Self(rawValue: 0x05)
  /// 0x06: the server does not support the request.
  public static let requestNotSupported = Self(rawValue: 0x06)
  /// 0x07: the offset is past the end of the value.
  public static let invalidOffset = Self(rawValue: 0x07)
  /// 0x08: the client must be authorized.
  public static let insufficientAuthorization = Self(rawValue: 0x08)
  /// 0x09: too many prepared writes are queued.
  public static let prepareQueueFull = Self(rawValue: 0x09)
  /// 0x0A: no attribute in the range has the type.
  public static let attributeNotFound = Self(rawValue: 0x0A)
  /// 0x0B: the attribute cannot be read in parts.
  public static let attributeNotLong = Self(rawValue: 0x0B)
  /// 0x0C: the key of the link is too short.
  public static let insufficientEncryptionKeySize = Self(rawValue: 0x0C)
  /// 0x0D: the value has the wrong length.
  public static let invalidAttributeValueLength = Self(rawValue: 0x0D)
  /// 0x0E: the request failed for another reason.
  // swift-format-ignore: DontRepeatTypeInStaticProperties
  public static let unlikelyError = Self(rawValue: 0x0E)
  /// 0x0F: the link must be encrypted.
  public static let insufficientEncryption = Self(rawValue: 0x0F)
  /// 0x10: the type is not one of a group.
  public static let unsupportedGroupType = Self(rawValue: 0x10)
  /// 0x11: the server lacks resources.
  public static let insufficientResources = Self(rawValue: 0x11)
  /// 0x12: the client must discover the database again.
  public static let databaseOutOfSync = Self(rawValue: 0x12)
  /// 0x13: the value is not allowed.
  public static let valueNotAllowed = Self(rawValue: 0x13)
  /// Core Specification Supplement, Part B: the common profile errors.
  public static let writeRequestRejected = Self(rawValue: 0xFC)
  /// 0xFD: the client must subscribe first.
  public static let cccdImproperlyConfigured = Self(rawValue: 0xFD)
  /// 0xFE: the procedure is running already.
  public static let procedureAlreadyInProgress = Self(rawValue: 0xFE)
  /// 0xFF: the value is out of range.
  public static let outOfRange = Self(rawValue: 0xFF)

  /// The codes that the specification leaves to the application: 0x80 to 0x9F.
  public static let applicationRange: ClosedRange<UInt8> = 0x80...0x9F

  /// Every error that has a name, with its name in profiles, JSON and messages.
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

  /// The name in profiles, JSON and messages; nil for a code without a name.
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
