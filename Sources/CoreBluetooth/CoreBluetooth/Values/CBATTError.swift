// swift-format-ignore-file: AlwaysUseLowerCamelCase

import BleperaBluetooth

/// The domain of ``CBATTError``.
public let CBATTErrorDomain = "CBATTErrorDomain"

/// An error of the Attribute Protocol.
public struct CBATTError: CustomNSError, Hashable {
  /// The result of a request: success, or the error that the central receives.
  public enum Code: RawRepresentable, Hashable, Sendable {
    /// The request succeeded.
    case success
    /// The attribute does not exist (0x01).
    case invalidHandle
    /// The value cannot be read (0x02).
    case readNotPermitted
    /// The value cannot be written (0x03).
    case writeNotPermitted
    /// The request is malformed (0x04).
    case invalidPdu
    /// The central has to pair (0x05).
    case insufficientAuthentication
    /// The request is not supported (0x06).
    case requestNotSupported
    /// The offset is beyond the end of the value (0x07).
    case invalidOffset
    /// The central is not authorized (0x08).
    case insufficientAuthorization
    /// Too many prepared writes wait (0x09).
    case prepareQueueFull
    /// No attribute was found in the range (0x0A).
    case attributeNotFound
    /// The value cannot be read or written in pieces (0x0B).
    case attributeNotLong
    /// The key of the link is too short (0x0C).
    case insufficientEncryptionKeySize
    /// The value has a length that is not allowed (0x0D).
    case invalidAttributeValueLength
    /// The request failed for another reason (0x0E).
    case unlikelyError
    /// The link has to be encrypted (0x0F).
    case insufficientEncryption
    /// The type does not group attributes (0x10).
    case unsupportedGroupType
    /// There are not enough resources (0x11).
    case insufficientResources
    /// A code without a name, such as an application error. Apps do not use this case: `init(rawValue:)` creates it.
    case _unnamed(Int)

    /// The codes from 0 to 0x11, with the texts that apps have reported from iOS (IOS-nRF-Connect issue 15,
    /// react-native-ble-manager issue 771, bleak issue 366).
    fileprivate static let named: [(code: Code, text: String)] = [
      (.success, "Success."), (.invalidHandle, "The handle is invalid."),
      (.readNotPermitted, "Reading is not permitted."), (.writeNotPermitted, "Writing is not permitted."),
      (.invalidPdu, "The command is invalid."), (.insufficientAuthentication, "Authentication is insufficient."),
      (.requestNotSupported, "The request is not supported."), (.invalidOffset, "The offset is invalid."),
      (.insufficientAuthorization, "Authorization is insufficient."),
      (.prepareQueueFull, "The prepare queue is full."), (.attributeNotFound, "The attribute could not be found."),
      (.attributeNotLong, "The attribute is not long."),
      (.insufficientEncryptionKeySize, "The encryption key size is insufficient."),
      (.invalidAttributeValueLength, "The value's length is invalid."), (.unlikelyError, "Unlikely error."),
      (.insufficientEncryption, "Encryption is insufficient."),
      (.unsupportedGroupType, "The group type is unsupported."),
      (.insufficientResources, "Resources are insufficient."),
    ]

    /// Accepts every number, as an imported C enumeration does: apps make the codes 0x80 to 0x9F this way.
    public init?(rawValue: Int) {
      self = Self.named.indices.contains(rawValue) ? Self.named[rawValue].code : ._unnamed(rawValue)
    }

    public var rawValue: Int {
      switch self {
      case .success: 0
      case .invalidHandle: 1
      case .readNotPermitted: 2
      case .writeNotPermitted: 3
      case .invalidPdu: 4
      case .insufficientAuthentication: 5
      case .requestNotSupported: 6
      case .invalidOffset: 7
      case .insufficientAuthorization: 8
      case .prepareQueueFull: 9
      case .attributeNotFound: 10
      case .attributeNotLong: 11
      case .insufficientEncryptionKeySize: 12
      case .invalidAttributeValueLength: 13
      case .unlikelyError: 14
      case .insufficientEncryption: 15
      case .unsupportedGroupType: 16
      case .insufficientResources: 17
      case ._unnamed(let number): number
      }
    }
  }

  /// The code of the error.
  public let code: Code
  /// Further information, as in an `NSError`.
  public var userInfo: [String: Any] { information.value }
  private let information: ErrorInformation

  /// - Parameters:
  ///   - code: The code of the error.
  ///   - userInfo: Further information.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    self.code = code
    information = ErrorInformation(value: userInfo)
  }

  public static var errorDomain: String { CBATTErrorDomain }
  public var errorCode: Int { code.rawValue }
  public var errorUserInfo: [String: Any] {
    userInfo.merging([NSLocalizedDescriptionKey: code.text]) { given, _ in given }
  }
  /// A sentence for the user.
  public var localizedDescription: String { errorUserInfo[NSLocalizedDescriptionKey] as? String ?? code.text }

  public static func == (left: CBATTError, right: CBATTError) -> Bool {
    left.code == right.code && (left.userInfo as NSDictionary).isEqual(right.userInfo as NSDictionary)
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension CBATTError {
  /// The request succeeded.
  public static var success: CBATTError.Code { .success }
  /// The attribute does not exist (0x01).
  public static var invalidHandle: CBATTError.Code { .invalidHandle }
  /// The value cannot be read (0x02).
  public static var readNotPermitted: CBATTError.Code { .readNotPermitted }
  /// The value cannot be written (0x03).
  public static var writeNotPermitted: CBATTError.Code { .writeNotPermitted }
  /// The request is malformed (0x04).
  public static var invalidPdu: CBATTError.Code { .invalidPdu }
  /// The central has to pair (0x05).
  public static var insufficientAuthentication: CBATTError.Code { .insufficientAuthentication }
  /// The request is not supported (0x06).
  public static var requestNotSupported: CBATTError.Code { .requestNotSupported }
  /// The offset is beyond the end of the value (0x07).
  public static var invalidOffset: CBATTError.Code { .invalidOffset }
  /// The central is not authorized (0x08).
  public static var insufficientAuthorization: CBATTError.Code { .insufficientAuthorization }
  /// Too many prepared writes wait (0x09).
  public static var prepareQueueFull: CBATTError.Code { .prepareQueueFull }
  /// No attribute was found in the range (0x0A).
  public static var attributeNotFound: CBATTError.Code { .attributeNotFound }
  /// The value cannot be read or written in pieces (0x0B).
  public static var attributeNotLong: CBATTError.Code { .attributeNotLong }
  /// The key of the link is too short (0x0C).
  public static var insufficientEncryptionKeySize: CBATTError.Code { .insufficientEncryptionKeySize }
  /// The value has a length that is not allowed (0x0D).
  public static var invalidAttributeValueLength: CBATTError.Code { .invalidAttributeValueLength }
  /// The request failed for another reason (0x0E).
  public static var unlikelyError: CBATTError.Code { .unlikelyError }
  /// The link has to be encrypted (0x0F).
  public static var insufficientEncryption: CBATTError.Code { .insufficientEncryption }
  /// The type does not group attributes (0x10).
  public static var unsupportedGroupType: CBATTError.Code { .unsupportedGroupType }
  /// There are not enough resources (0x11).
  public static var insufficientResources: CBATTError.Code { .insufficientResources }
}

extension CBATTError.Code {
  /// Lets a `catch` clause name a code.
  ///
  /// - Parameters:
  ///   - match: The code that the clause names.
  ///   - error: The error that was thrown.
  public static func ~= (match: CBATTError.Code, error: any Error) -> Bool { (error as? CBATTError)?.code == match }

  /// The protocol's error; nil for success.
  var error: ATTError? {
    rawValue == 0 ? nil : UInt8(exactly: rawValue).map { ATTError(rawValue: $0) } ?? .unlikelyError
  }

  var text: String { Self.named.indices.contains(rawValue) ? Self.named[rawValue].text : "Unknown ATT error." }
}
