public import BleperaBluetooth

/// The version of AppLink's messages that this build speaks.
public let appLinkVersion = 1

/// What an app says to the system: the calls of `CBPeripheralManager`.
public enum AppMessage: Hashable, Codable, Sendable {
  /// Must be the first message. Without a `launch` the app is in the foreground; without a `process` it is not
  /// relaunched.
  case hello(
    version: Int, app: AppIdentity, launch: LaunchMode? = nil, process: LaunchDescription? = nil)
  /// Publishes a service; answered by `didAddService`. The app chooses the identifier.
  case addService(ServiceID, ServiceDefinition)
  case removeService(ServiceID)
  case removeAllServices
  /// Answered by `didStartAdvertising`.
  case startAdvertising(AdvertisementData)
  case stopAdvertising
  /// Sends a value to subscribers, all of them where `centrals` is nil; answered by `didUpdateValue`.
  case updateValue(CharacteristicID, value: [UInt8], centrals: [CentralID]?)
  /// Answers a read (`value` is what follows the request's offset) or, with the first request's identifier, all the
  /// writes of one `didReceiveWrite`. A nil `error` is success.
  case respond(RequestID, error: ATTError?, value: [UInt8])
}

/// The names on the wire of what the calls carry without a label in Swift.
extension AppMessage {
  enum AddServiceCodingKeys: String, CodingKey {
    case _0 = "id"
    case _1 = "service"
  }

  enum RemoveServiceCodingKeys: String, CodingKey {
    case _0 = "id"
  }

  enum StartAdvertisingCodingKeys: String, CodingKey {
    case _0 = "advertisement"
  }

  enum UpdateValueCodingKeys: String, CodingKey {
    case _0 = "characteristic"
    case value
    case centrals
  }

  enum RespondCodingKeys: String, CodingKey {
    case _0 = "request"
    case error
    case value
  }
}
