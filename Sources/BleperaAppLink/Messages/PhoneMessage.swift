package import BleperaBluetooth

/// A message from the system to an app: a callback of a manager's delegate, or a lifecycle event.
package enum PhoneMessage: Hashable, Sendable {
  /// The response to a valid `hello`, with the system's protocol version. For an app that the phone has launched, as
  /// with `UIApplication.LaunchOptionsKey.bluetoothPeripherals` and `bluetoothCentrals`, the restoration identifiers of
  /// its peripheral managers that have services or advertise, and of its central managers that scan, connect or are
  /// connected. `nextService` is above the numbers of all services that are preserved.
  case welcome(
    version: Int, bluetoothPeripherals: [String]? = nil, bluetoothCentrals: [String]? = nil, nextService: Int? = nil)
  /// The response to a refused `hello` or to an invalid message; a sentence. The link is then closed.
  case refused(reason: String)
  /// A lifecycle event, as of `UIApplicationDelegate`. An app runs until it receives `suspended`.
  case didChangeState(AppState)
  /// A lifecycle event: the app must exit. The link is then closed.
  case willTerminate(TerminationCause)
  /// Sent only to an app with preserved state, before `didUpdateState`.
  case willRestoreState(RestoredState)
  case didUpdateState(ManagerState)
  /// A nil `error` is success.
  case didAddService(ServiceID, error: String?)
  /// A nil `error` is success; `code` is for an error that Core Bluetooth has a code for.
  case didStartAdvertising(error: String?, code: AdvertisingFailure? = nil)
  case didSubscribe(CentralDescription, to: CharacteristicID)
  case didUnsubscribe(CentralDescription, from: CharacteristicID)
  /// Requires one `respond`.
  case didReceiveRead(ReadRequest)
  /// One unit, all or nothing; requires one `respond`, with the identifier of the first write.
  case didReceiveWrite([WriteRequest])
  /// Whether the last `updateValue` of that characteristic was queued. False means that the transmit queue is full and
  /// `isReadyToUpdateSubscribers` follows, or, with an `error`, that the update cannot be sent.
  case didUpdateValue(CharacteristicID, queued: Bool, error: String? = nil)
  case isReadyToUpdateSubscribers
  /// `psm` is nil where the channel is not published; a nil `error` is success.
  case didPublishL2CAPChannel(psm: L2CAPPSM?, error: String?)
  /// A nil `error` is success.
  case didUnpublishL2CAPChannel(L2CAPPSM, error: String?)
  /// A central has opened a channel. A stream socket for its bytes comes with the message, as a descriptor.
  case didOpenL2CAPChannel(L2CAPChannel)
  /// A callback for another manager than the first. What is for all managers is not in such a message.
  indirect case manager(ManagerID, PhoneMessage)
  /// A callback for a central manager.
  indirect case central(ManagerID, CentralCallback)
}

extension PhoneMessage {
  /// The service that the message is about; nil for one that is not about a service.
  package var service: ServiceID? {
    switch self {
    case .didAddService(let service, _): service
    case .didSubscribe(_, let characteristic), .didUnsubscribe(_, let characteristic),
      .didUpdateValue(let characteristic, _, _):
      characteristic.service
    case .didReceiveRead(let request): request.characteristic.service
    case .didReceiveWrite(let requests): requests.first?.characteristic.service
    case .welcome, .refused, .didChangeState, .willTerminate, .willRestoreState, .didUpdateState, .didStartAdvertising,
      .isReadyToUpdateSubscribers, .didPublishL2CAPChannel, .didUnpublishL2CAPChannel, .didOpenL2CAPChannel, .manager,
      .central:
      nil
    }
  }
}

extension PhoneMessage {
  /// The phone's number for the channel that comes with the message.
  package var openedChannel: Int? {
    switch self {
    case .didOpenL2CAPChannel(let channel): channel.id
    case .manager(_, let message): message.openedChannel
    case .central(_, .peripheral(_, .didOpenL2CAPChannel(let id, _, error: nil))): id
    default: nil
    }
  }
}

extension PhoneMessage: JSONMessage {
  package static let blank = PhoneMessage.isReadyToUpdateSubscribers

  package static func variants<V: JSONVisitor>(_ v: inout V, _ it: Self, _ read: inout Self?) throws(V.Failure) {
    try v.variant("didReceiveRead", "request", it, &read, Self.didReceiveRead) {
      if case .didReceiveRead(let it) = $0 { it } else { nil }
    }
    try v.variant("didReceiveWrite", "requests", it, &read, Self.didReceiveWrite) {
      if case .didReceiveWrite(let it) = $0 { it } else { nil }
    }
    try v.variant(
      "didUpdateValue", it, &read,
      { if case .didUpdateValue(let id, let queued, let error) = $0 { (id, queued, error) } else { nil } },
      { v, it throws(V.Failure) in
        let characteristic = try v.field("characteristic", it?.0)
        let error = try v.optional("error", it?.2)
        return .didUpdateValue(characteristic, queued: try v.field("queued", it?.1), error: error)
      })
    try v.variant("didChangeState", "state", it, &read, Self.didChangeState) {
      if case .didChangeState(let it) = $0 { it } else { nil }
    }
    v.variant("isReadyToUpdateSubscribers", .isReadyToUpdateSubscribers, it, &read)
    try v.variant(
      "welcome", it, &read,
      {
        if case .welcome(let version, let peripherals, let centrals, let next) = $0 {
          (version, peripherals, centrals, next)
        } else {
          nil
        }
      },
      { v, it throws(V.Failure) in
        let centrals = try v.optional("bluetoothCentrals", it?.2)
        let peripherals = try v.optional("bluetoothPeripherals", it?.1)
        let next = try v.optional("nextService", it?.3)
        return .welcome(
          version: try v.field("version", it?.0), bluetoothPeripherals: peripherals, bluetoothCentrals: centrals,
          nextService: next)
      })
    try v.variant("refused", "reason", it, &read, Self.refused) { if case .refused(let it) = $0 { it } else { nil } }
    try v.variant("willTerminate", "reason", it, &read, Self.willTerminate) {
      if case .willTerminate(let it) = $0 { it } else { nil }
    }
    try v.variant("willRestoreState", "state", it, &read, Self.willRestoreState) {
      if case .willRestoreState(let it) = $0 { it } else { nil }
    }
    try v.variant("didUpdateState", "state", it, &read, Self.didUpdateState) {
      if case .didUpdateState(let it) = $0 { it } else { nil }
    }
    try v.variant(
      "didAddService", it, &read,
      { if case .didAddService(let id, let error) = $0 { (id, error) } else { nil } },
      { v, it throws(V.Failure) in
        let error = try v.optional("error", it?.1)
        return .didAddService(try v.field("id", it?.0), error: error)
      })
    try v.variant(
      "didStartAdvertising", it, &read,
      { if case .didStartAdvertising(let error, let code) = $0 { (error, code) } else { nil } },
      { v, it throws(V.Failure) in
        let code = try v.optional("code", it?.1)
        return .didStartAdvertising(error: try v.optional("error", it?.0), code: code)
      })
    try v.variant(
      "didSubscribe", it, &read,
      { if case .didSubscribe(let central, let id) = $0 { (central, id) } else { nil } },
      { v, it throws(V.Failure) in
        .didSubscribe(try v.field("central", it?.0), to: try v.field("characteristic", it?.1))
      })
    try v.variant(
      "didUnsubscribe", it, &read,
      { if case .didUnsubscribe(let central, let id) = $0 { (central, id) } else { nil } },
      { v, it throws(V.Failure) in
        .didUnsubscribe(try v.field("central", it?.0), from: try v.field("characteristic", it?.1))
      })
    try v.variant(
      "didPublishL2CAPChannel", it, &read,
      { if case .didPublishL2CAPChannel(let psm, let error) = $0 { (psm, error) } else { nil } },
      { v, it throws(V.Failure) in
        let error = try v.optional("error", it?.1)
        return .didPublishL2CAPChannel(psm: try v.optional("psm", it?.0), error: error)
      })
    try v.variant(
      "didUnpublishL2CAPChannel", it, &read,
      { if case .didUnpublishL2CAPChannel(let id, let error) = $0 { (id, error) } else { nil } },
      { v, it throws(V.Failure) in
        let error = try v.optional("error", it?.1)
        return .didUnpublishL2CAPChannel(try v.field("psm", it?.0), error: error)
      })
    try v.variant("didOpenL2CAPChannel", "channel", it, &read, Self.didOpenL2CAPChannel) {
      if case .didOpenL2CAPChannel(let it) = $0 { it } else { nil }
    }
    try v.variant(
      "manager", it, &read, { if case .manager(let id, let message) = $0 { (id, message) } else { nil } },
      { v, it throws(V.Failure) in .manager(try v.field("id", it?.0), try v.field("message", it?.1)) })
    try v.variant(
      "central", it, &read, { if case .central(let id, let callback) = $0 { (id, callback) } else { nil } },
      { v, it throws(V.Failure) in
        let callback = try v.field("callback", it?.1)
        return .central(try v.field("id", it?.0), callback)
      })
  }
}
