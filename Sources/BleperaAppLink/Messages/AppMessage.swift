package import BleperaBluetooth

/// The version of the AppLink protocol that this build uses.
package let appLinkVersion = 1

/// A message from an app to the system: a call of `CBPeripheralManager`.
package enum AppMessage: Hashable, Codable, Sendable {
  /// Must be the first message. Without a `launch` the app is in the foreground; without a `process` it is not
  /// relaunched.
  case hello(
    version: Int, app: AppIdentity, launch: LaunchMode? = nil, process: LaunchDescription? = nil)
  /// Publishes a service; the response is `didAddService`. The app chooses the identifier.
  case addService(ServiceID, ServiceDefinition)
  case removeService(ServiceID)
  case removeAllServices
  /// The response is `didStartAdvertising`.
  case startAdvertising(AdvertisementData)
  case stopAdvertising
  /// Sends a value to subscribers, all of them where `centrals` is nil; the response is `didUpdateValue`.
  case updateValue(CharacteristicID, value: [UInt8], centrals: [CentralID]?)
  /// Lets centrals open L2CAP channels; the response is `didPublishL2CAPChannel`. Without pairing a central cannot open
  /// one that requires encryption.
  case publishL2CAPChannel(encryptionRequired: Bool)
  /// The response is `didUnpublishL2CAPChannel`. Channels that are open stay open.
  case unpublishL2CAPChannel(L2CAPPSM)
  /// Responds to a read (`value` is the bytes from the request's offset on) or, with the first request's identifier, to
  /// all writes of one `didReceiveWrite`. A nil `error` means success.
  case respond(RequestID, error: ATTError?, value: [UInt8])
  /// The app has handled what it received and may be suspended before its time in the background is over. An app that
  /// sends this message once and does not send it again within its time exceeds its limits.
  case didFinish
  /// The app's callbacks have returned, and its queues are idle: it may be suspended after the wake time of the rule set.
  /// What a library sends, which does not know whether the app has more to do.
  case didBecomeIdle
  /// Keeps the app running in the background; the app numbers its tasks. An app that does not end its tasks within the
  /// time that the rule set gives them is terminated.
  case beginBackgroundTask(Int)
  case endBackgroundTask(Int)
  /// Creates another peripheral manager; the first is created by `hello`. The response is the manager's
  /// `didUpdateState`, after `willRestoreState` where the manager is restored.
  case createManager(ManagerID)
  /// A call of another manager than the first.
  indirect case manager(ManagerID, AppMessage)
}

/// The JSON keys of associated values that have no label in Swift.
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

  enum BeginBackgroundTaskCodingKeys: String, CodingKey {
    case _0 = "id"
  }

  enum EndBackgroundTaskCodingKeys: String, CodingKey {
    case _0 = "id"
  }

  enum CreateManagerCodingKeys: String, CodingKey {
    case _0 = "id"
  }

  enum UnpublishL2CAPChannelCodingKeys: String, CodingKey {
    case _0 = "psm"
  }

  enum ManagerCodingKeys: String, CodingKey {
    case _0 = "id"
    case _1 = "message"
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

/// What an app sends for each request and update, without the detour over `Codable`.
extension AppMessage: JSONLineValue {
  package func write(to object: inout JSONObjectWriter) -> Bool {
    object.begin()
    switch self {
    case .updateValue(let characteristic, let value, let centrals):
      object.begin("updateValue")
      object.add("centrals", centrals?.map(\.rawValue))
      characteristic.write("characteristic", to: &object)
      object.add("value", value)
    case .respond(let request, let error, let value):
      object.begin("respond")
      object.add("error", error.map { Int($0.rawValue) })
      object.add("request", request.rawValue)
      object.add("value", value)
    case .didFinish: object.begin("didFinish")
    case .didBecomeIdle: object.begin("didBecomeIdle")
    default: return false
    }
    object.end()
    object.end()
    return true
  }

  package init?(reading object: inout JSONObjectReader) {
    var message: AppMessage?
    let isRead = object.object { object, key in
      guard message == nil else { return false }
      switch key {
      case "updateValue": message = Self.updateValue(&object)
      case "respond": message = Self.respond(&object)
      case "didFinish": message = object.object { _, _ in false } ? .didFinish : nil
      case "didBecomeIdle": message = object.object { _, _ in false } ? .didBecomeIdle : nil
      default: return false
      }
      return message != nil
    }
    guard isRead, let message else { return nil }
    self = message
  }

  private static func updateValue(_ object: inout JSONObjectReader) -> AppMessage? {
    var characteristic: CharacteristicID?
    var value: [UInt8]?
    var centrals: [CentralID]?
    let isRead = object.object { object, key in
      switch key {
      case "characteristic": return object.store(CharacteristicID(reading: &object), in: &characteristic)
      case "value": return object.store(object.byteList(), in: &value)
      case "centrals": return object.store(object.texts()?.map { CentralID(rawValue: $0) }, in: &centrals)
      default: return false
      }
    }
    guard isRead, let characteristic, let value else { return nil }
    return .updateValue(characteristic, value: value, centrals: centrals)
  }

  private static func respond(_ object: inout JSONObjectReader) -> AppMessage? {
    var request: RequestID?
    var error: ATTError?
    var value: [UInt8]?
    let isRead = object.object { object, key in
      switch key {
      case "request": return object.store(object.number().map { RequestID(rawValue: $0) }, in: &request)
      case "error":
        return object.store(object.number().flatMap { UInt8(exactly: $0) }.map { ATTError(rawValue: $0) }, in: &error)
      case "value": return object.store(object.byteList(), in: &value)
      default: return false
      }
    }
    guard isRead, let request, let value else { return nil }
    return .respond(request, error: error, value: value)
  }
}
