// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The domain of ``CBError``.
public let CBErrorDomain = "CBErrorDomain"

/// An error of Core Bluetooth.
public struct CBError: CustomNSError, Hashable {
  /// The kinds of errors.
  public enum Code: Int, Hashable, Sendable {
    /// The reason is not known; the description may say more.
    case unknown = 0
    /// A value that the app has given is not allowed.
    case invalidParameters = 1
    /// The attribute does not exist.
    case invalidHandle = 2
    /// The device is not connected.
    case notConnected = 3
    /// There is no room left.
    case outOfSpace = 4
    /// The operation was canceled.
    case operationCancelled = 5
    /// The connection was lost.
    case connectionTimeout = 6
    /// The device has disconnected.
    case peripheralDisconnected = 7
    /// The UUID belongs to a service that the system publishes itself.
    case uuidNotAllowed = 8
    /// The manager advertises already.
    case alreadyAdvertising = 9
    /// The connection could not be made.
    case connectionFailed = 10
    /// There are too many connections.
    case connectionLimitReached = 11
    /// The name that iOS first gave ``unknownDevice``.
    case unkownDevice = 12
    /// The operation is not available.
    case operationNotSupported = 13
    /// The device has forgotten the pairing.
    case peerRemovedPairingInformation = 14
    /// The link could not be encrypted in time.
    case encryptionTimedOut = 15
    /// There are too many paired devices.
    case tooManyLEPairedDevices = 16
    // Apple's pages name the next two since iOS 27, without numbers. 19 and 20 follow watchOS's codes, and are ours.
    /// A channel sounding session could not be configured.
    case channelSoundingConfigurationFailed = 19
    /// A procedure of a channel sounding session has failed.
    case channelSoundingProcedureFailed = 20

    /// The device is not known.
    public static var unknownDevice: CBError.Code { .unkownDevice }
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

/// The dictionary of an error, which `Error` requires to be sendable, as `NSError` is.
struct ErrorInformation: @unchecked Sendable {  // never changes
  let value: [String: Any]
}

extension CBError {
  /// The reason is not known; the description may say more.
  public static var unknown: CBError.Code { .unknown }
  /// A value that the app has given is not allowed.
  public static var invalidParameters: CBError.Code { .invalidParameters }
  /// The attribute does not exist.
  public static var invalidHandle: CBError.Code { .invalidHandle }
  /// The device is not connected.
  public static var notConnected: CBError.Code { .notConnected }
  /// There is no room left.
  public static var outOfSpace: CBError.Code { .outOfSpace }
  /// The operation was canceled.
  public static var operationCancelled: CBError.Code { .operationCancelled }
  /// The connection was lost.
  public static var connectionTimeout: CBError.Code { .connectionTimeout }
  /// The device has disconnected.
  public static var peripheralDisconnected: CBError.Code { .peripheralDisconnected }
  /// The system publishes the service itself.
  public static var uuidNotAllowed: CBError.Code { .uuidNotAllowed }
  /// The manager advertises already.
  public static var alreadyAdvertising: CBError.Code { .alreadyAdvertising }
  /// The connection could not be made.
  public static var connectionFailed: CBError.Code { .connectionFailed }
  /// There are too many connections.
  public static var connectionLimitReached: CBError.Code { .connectionLimitReached }
  /// The name that iOS first gave ``unknownDevice``.
  public static var unkownDevice: CBError.Code { .unkownDevice }
  /// The device is not known.
  public static var unknownDevice: CBError.Code { .unknownDevice }
  /// The operation is not available.
  public static var operationNotSupported: CBError.Code { .operationNotSupported }
  /// The device has forgotten the pairing.
  public static var peerRemovedPairingInformation: CBError.Code { .peerRemovedPairingInformation }
  /// The link could not be encrypted in time.
  public static var encryptionTimedOut: CBError.Code { .encryptionTimedOut }
  /// There are too many paired devices.
  public static var tooManyLEPairedDevices: CBError.Code { .tooManyLEPairedDevices }
  /// A channel sounding session could not be configured.
  public static var channelSoundingConfigurationFailed: CBError.Code { .channelSoundingConfigurationFailed }
  /// A procedure of a channel sounding session has failed.
  public static var channelSoundingProcedureFailed: CBError.Code { .channelSoundingProcedureFailed }
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
    case .channelSoundingConfigurationFailed: "The channel sounding session could not be configured."
    case .channelSoundingProcedureFailed: "The channel sounding procedure has failed."
    }
  }
}
