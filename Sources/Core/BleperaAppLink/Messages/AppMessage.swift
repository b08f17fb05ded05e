package import BleperaBluetooth

/// The version of the AppLink protocol that this build uses.
package let appLinkVersion = 1

/// A message from an app to the system, about the app or of one of its managers.
package enum AppMessage: Hashable, Sendable {
  /// Must be the first message. Without a `launch` the app is in the foreground; without a `process` it is not
  /// relaunched.
  indirect case hello(
    version: Int, app: AppIdentity, launch: LaunchMode? = nil, process: LaunchDescription? = nil)
  /// Creates a manager. The response is its `didUpdateState`, after `willRestoreState` where the manager is restored.
  case create(ManagerID)
  /// A call of a peripheral manager.
  case peripheral(ManagerID.Name, PeripheralManagerCall)
  /// A call of a central manager.
  indirect case central(ManagerID.Name, CentralCall)
  /// The app has handled what it received and may be suspended before its time in the background is over. An app that
  /// sends this message once and does not send it again within its time exceeds its limits.
  case didFinish
  /// The app's callbacks have returned, and its queues are idle: it may be suspended after the wake time of the rule
  /// set. A library sends this message, because it does not know whether the app has more to do.
  case didBecomeIdle
  /// Keeps the app running in the background; the app numbers its tasks. An app that does not end its tasks within the
  /// time that the rule set gives them is terminated.
  case beginBackgroundTask(Int)
  case endBackgroundTask(Int)
}

/// A call of an app's `CBPeripheralManager`.
package enum PeripheralManagerCall: Hashable, Sendable {
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
}

extension AppMessage: JSONMessage {
  package static let blank = AppMessage.didFinish

  package static func variants<V: JSONVisitor>(_ v: inout V, _ it: Self, _ read: inout Self?) throws(V.Failure) {
    try v.variant(
      "peripheral", it, &read, { if case .peripheral(let name, let call) = $0 { (name, call) } else { nil } },
      { v, it throws(V.Failure) in
        let call = try v.field("call", it?.1)
        return .peripheral(try v.field("id", it?.0), call)
      })
    try v.variant(
      "central", it, &read, { if case .central(let name, let call) = $0 { (name, call) } else { nil } },
      { v, it throws(V.Failure) in
        let call = try v.field("call", it?.1)
        return .central(try v.field("id", it?.0), call)
      })
    v.variant("didFinish", .didFinish, it, &read)
    v.variant("didBecomeIdle", .didBecomeIdle, it, &read)
    try v.variant(
      "hello", it, &read,
      {
        if case .hello(let version, let app, let launch, let process) = $0 {
          (version, app, launch, process)
        } else {
          nil
        }
      },
      { v, it throws(V.Failure) in
        let app = try v.field("app", it?.1)
        let launch = try v.optional("launch", it?.2)
        let process = try v.optional("process", it?.3)
        let version = try v.field("version", it?.0, ["const": .number(appLinkVersion)])
        return .hello(version: version, app: app, launch: launch, process: process)
      })
    try v.variant(
      "create", it, &read, { if case .create(let it) = $0 { it } else { nil } },
      { v, it throws(V.Failure) in .create(try ManagerID.fields(&v, it)) })
    try v.variant("beginBackgroundTask", "id", it, &read, Self.beginBackgroundTask) {
      if case .beginBackgroundTask(let it) = $0 { it } else { nil }
    }
    try v.variant("endBackgroundTask", "id", it, &read, Self.endBackgroundTask) {
      if case .endBackgroundTask(let it) = $0 { it } else { nil }
    }
  }
}

extension PeripheralManagerCall: JSONMessage {
  package static let blank = PeripheralManagerCall.stopAdvertising

  package static func variants<V: JSONVisitor>(_ v: inout V, _ it: Self, _ read: inout Self?) throws(V.Failure) {
    try v.variant(
      "updateValue", it, &read,
      { if case .updateValue(let id, let value, let centrals) = $0 { (id, value, centrals) } else { nil } },
      { v, it throws(V.Failure) in
        let centrals = try v.optional("centrals", it?.2)
        return .updateValue(
          try v.field("characteristic", it?.0), value: try v.field("value", it?.1), centrals: centrals)
      })
    try v.variant(
      "respond", it, &read,
      { if case .respond(let id, let error, let value) = $0 { (id, error, value) } else { nil } },
      { v, it throws(V.Failure) in
        let error = try v.optional("error", it?.1)
        return .respond(try v.field("request", it?.0), error: error, value: try v.field("value", it?.2))
      })
    try v.variant(
      "addService", it, &read, { if case .addService(let id, let service) = $0 { (id, service) } else { nil } },
      { v, it throws(V.Failure) in .addService(try v.field("id", it?.0), try v.field("service", it?.1)) })
    try v.variant("removeService", "id", it, &read, Self.removeService) {
      if case .removeService(let it) = $0 { it } else { nil }
    }
    v.variant("removeAllServices", .removeAllServices, it, &read)
    try v.variant("startAdvertising", "advertisement", it, &read, Self.startAdvertising) {
      if case .startAdvertising(let it) = $0 { it } else { nil }
    }
    v.variant("stopAdvertising", .stopAdvertising, it, &read)
    try v.variant("publishL2CAPChannel", "encryptionRequired", it, &read, Self.publishL2CAPChannel) {
      if case .publishL2CAPChannel(let it) = $0 { it } else { nil }
    }
    try v.variant("unpublishL2CAPChannel", "psm", it, &read, Self.unpublishL2CAPChannel) {
      if case .unpublishL2CAPChannel(let it) = $0 { it } else { nil }
    }
  }
}
