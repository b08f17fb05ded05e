public import GATT

/// What an app says to the system: the calls of `CBPeripheralManager`.
public enum AppMessage: Hashable, Codable, Sendable {
  /// Must be the first message. Without a `launch` the app is in the foreground; without a `process` it is not
  /// relaunched.
  case hello(
    version: Int, app: AppIdentity, launch: LaunchIntent? = nil, process: LaunchDescription? = nil)
  /// Publishes a service; answered by `didAddService`. The app chooses the identifier.
  case addService(ServiceID, ServiceDefinition)
  case removeService(ServiceID)
  case removeAllServices
  /// Answered by `didStartAdvertising`.
  case startAdvertising(AdvertisementRequest)
  case stopAdvertising
  /// Sends a value to subscribers, all of them where `centrals` is nil; answered by `didUpdateValue`.
  case updateValue(CharacteristicID, value: [UInt8], centrals: [CentralID]?)
  /// Answers a read (`value` is what follows the request's offset) or, with the first request's identifier, all the
  /// writes of one `didReceiveWrite`. A nil `error` is success.
  case respond(RequestID, error: ATTError?, value: [UInt8])
}
