import BleperaBluetooth

/// The domain of ``CBATTError``.
public let CBATTErrorDomain = "CBATTErrorDomain"

/// An error of the Attribute Protocol.
public struct CBATTError: CustomNSError, Hashable {
  /// The result of a request: success, or the error that the central receives.
  public enum Code: RawRepresentable, Hashable, Sendable {
    case success
    case invalidHandle
    case readNotPermitted
    case writeNotPermitted
    case invalidPdu
    case insufficientAuthentication
    case requestNotSupported
    case invalidOffset
    case insufficientAuthorization
    case prepareQueueFull
    case attributeNotFound
    case attributeNotLong
    case insufficientEncryptionKeySize
    case invalidAttributeValueLength
    case unlikelyError
    case insufficientEncryption
    case unsupportedGroupType
    case insufficientResources
    /// A code without a name, such as one of an application. Not for apps: `init(rawValue:)` gives it.
    case _unnamed(Int)

    private static let named: [Code] = [
      .success, .invalidHandle, .readNotPermitted, .writeNotPermitted, .invalidPdu, .insufficientAuthentication,
      .requestNotSupported, .invalidOffset, .insufficientAuthorization, .prepareQueueFull, .attributeNotFound,
      .attributeNotLong, .insufficientEncryptionKeySize, .invalidAttributeValueLength, .unlikelyError,
      .insufficientEncryption, .unsupportedGroupType, .insufficientResources,
    ]

    /// Accepts every number, as an imported C enumeration does: apps make the codes 0x80 to 0x9F this way.
    public init?(rawValue: Int) {
      self = Self.named.indices.contains(rawValue) ? Self.named[rawValue] : ._unnamed(rawValue)
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

  public let code: Code
  /// Further information, as of an `NSError`.
  public var userInfo: [String: Any] { information.value }
  private let information: ErrorInformation

  /// - Parameters:
  ///   - code: What went wrong.
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
  public static var success: CBATTError.Code { .success }
  public static var invalidHandle: CBATTError.Code { .invalidHandle }
  public static var readNotPermitted: CBATTError.Code { .readNotPermitted }
  public static var writeNotPermitted: CBATTError.Code { .writeNotPermitted }
  public static var invalidPdu: CBATTError.Code { .invalidPdu }
  public static var insufficientAuthentication: CBATTError.Code { .insufficientAuthentication }
  public static var requestNotSupported: CBATTError.Code { .requestNotSupported }
  public static var invalidOffset: CBATTError.Code { .invalidOffset }
  public static var insufficientAuthorization: CBATTError.Code { .insufficientAuthorization }
  public static var prepareQueueFull: CBATTError.Code { .prepareQueueFull }
  public static var attributeNotFound: CBATTError.Code { .attributeNotFound }
  public static var attributeNotLong: CBATTError.Code { .attributeNotLong }
  public static var insufficientEncryptionKeySize: CBATTError.Code { .insufficientEncryptionKeySize }
  public static var invalidAttributeValueLength: CBATTError.Code { .invalidAttributeValueLength }
  public static var unlikelyError: CBATTError.Code { .unlikelyError }
  public static var insufficientEncryption: CBATTError.Code { .insufficientEncryption }
  public static var unsupportedGroupType: CBATTError.Code { .unsupportedGroupType }
  public static var insufficientResources: CBATTError.Code { .insufficientResources }
}

extension CBATTError.Code {
  /// Lets a `catch` clause name a code.
  ///
  /// - Parameters:
  ///   - match: The code that the clause names.
  ///   - error: The error that was thrown.
  public static func ~= (match: CBATTError.Code, error: any Error) -> Bool { (error as? CBATTError)?.code == match }

  /// Nil for success.
  var error: ATTError? {
    rawValue == 0 ? nil : UInt8(exactly: rawValue).map { ATTError(rawValue: $0) } ?? .unlikelyError
  }

  var text: String { error.map { "The request failed with ATT error \($0)." } ?? "Success." }
}
