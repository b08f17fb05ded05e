/// The domain of ``CBError``.
public let CBErrorDomain = "CBErrorDomain"

/// An error of Core Bluetooth.
public struct CBError: CustomNSError, Hashable {
  /// What went wrong.
  public enum Code: Int, Hashable, Sendable {
    case unknown = 0
    case invalidParameters = 1
    case invalidHandle = 2
    case notConnected = 3
    case outOfSpace = 4
    case operationCancelled = 5
    case connectionTimeout = 6
    case peripheralDisconnected = 7
    /// The UUID belongs to a service that the system publishes itself.
    case uuidNotAllowed = 8
    /// The manager advertises already.
    case alreadyAdvertising = 9
    case connectionFailed = 10
    case connectionLimitReached = 11
    /// The name that iOS first gave ``unknownDevice``.
    case unkownDevice = 12
    /// The operation is not available, such as L2CAP channels here.
    case operationNotSupported = 13
    case peerRemovedPairingInformation = 14
    case encryptionTimedOut = 15
    case tooManyLEPairedDevices = 16

    /// The device is not known.
    public static var unknownDevice: CBError.Code { .unkownDevice }
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

  public static var errorDomain: String { CBErrorDomain }
  public var errorCode: Int { code.rawValue }
  public var errorUserInfo: [String: Any] {
    userInfo.merging([NSLocalizedDescriptionKey: code.text]) { given, _ in given }
  }
  /// A sentence for the user.
  public var localizedDescription: String { errorUserInfo[NSLocalizedDescriptionKey] as? String ?? code.text }

  public static func == (left: CBError, right: CBError) -> Bool {
    left.code == right.code && (left.userInfo as NSDictionary).isEqual(right.userInfo as NSDictionary)
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

/// The dictionary of an error.
///
/// @unchecked: an error's dictionary never changes, and `Error` requires it to be sendable, as `NSError` is.
struct ErrorInformation: @unchecked Sendable {
  let value: [String: Any]
}

extension CBError {
  public static var unknown: CBError.Code { .unknown }
  public static var invalidParameters: CBError.Code { .invalidParameters }
  public static var invalidHandle: CBError.Code { .invalidHandle }
  public static var notConnected: CBError.Code { .notConnected }
  public static var outOfSpace: CBError.Code { .outOfSpace }
  public static var operationCancelled: CBError.Code { .operationCancelled }
  public static var connectionTimeout: CBError.Code { .connectionTimeout }
  public static var peripheralDisconnected: CBError.Code { .peripheralDisconnected }
  public static var uuidNotAllowed: CBError.Code { .uuidNotAllowed }
  public static var alreadyAdvertising: CBError.Code { .alreadyAdvertising }
  public static var connectionFailed: CBError.Code { .connectionFailed }
  public static var connectionLimitReached: CBError.Code { .connectionLimitReached }
  public static var unkownDevice: CBError.Code { .unkownDevice }
  public static var unknownDevice: CBError.Code { .unknownDevice }
  public static var operationNotSupported: CBError.Code { .operationNotSupported }
  public static var peerRemovedPairingInformation: CBError.Code { .peerRemovedPairingInformation }
  public static var encryptionTimedOut: CBError.Code { .encryptionTimedOut }
  public static var tooManyLEPairedDevices: CBError.Code { .tooManyLEPairedDevices }
}

extension CBError.Code {
  /// Lets a `catch` clause name a code.
  ///
  /// - Parameters:
  ///   - match: The code that the clause names.
  ///   - error: The error that was thrown.
  public static func ~= (match: CBError.Code, error: any Error) -> Bool { (error as? CBError)?.code == match }

  var text: String {
    switch self {
    case .unknown: "Unknown error."
    case .invalidParameters: "One or more parameters were invalid."
    case .invalidHandle: "The specified attribute handle is invalid."
    case .notConnected: "The specified device is not connected."
    case .outOfSpace: "The device has run out of space."
    case .operationCancelled: "The operation was cancelled."
    case .connectionTimeout: "The connection has timed out unexpectedly."
    case .peripheralDisconnected: "The specified device has disconnected from us."
    case .uuidNotAllowed: "The specified UUID is not allowed for this operation."
    case .alreadyAdvertising: "Advertising has already started."
    case .connectionFailed: "The connection has failed unexpectedly."
    case .connectionLimitReached: "The device has reached its limit of connections."
    case .unkownDevice: "The device is not known."
    case .operationNotSupported: "The operation is not supported."
    case .peerRemovedPairingInformation: "Peer removed pairing information"
    case .encryptionTimedOut: "Failed to encrypt the connection, the connection has timed out unexpectedly."
    case .tooManyLEPairedDevices: "Too many devices are paired."
    }
  }
}
