package import BleperaBluetooth

/// A message from the system to an app, about the app or for one of its managers.
package enum PhoneMessage: Hashable, Sendable {
  /// The response to a valid `hello`, with the system's protocol version. For an app that the phone has launched,
  /// `managers` are those with a restoration identifier that have services, advertise, scan, connect or are connected,
  /// as in `UIApplication.LaunchOptionsKey.bluetoothPeripherals` and `bluetoothCentrals`. `nextService` is above the
  /// numbers of all services that are preserved.
  case welcome(version: Int, managers: [ManagerID]? = nil, nextService: Int? = nil)
  /// The response to a refused `hello` or to an invalid message; a sentence. The link is then closed.
  case refused(reason: String)
  /// A lifecycle event, as of `UIApplicationDelegate`. An app runs until it receives `suspended`.
  case didChangeState(AppState)
  /// The app must exit, in whatever state it is. The link is then closed.
  case willTerminate(TerminationCause)
  /// A callback for a peripheral manager.
  case peripheral(ManagerID.Name, PeripheralManagerCallback)
  /// A callback for a central manager.
  indirect case central(ManagerID.Name, CentralCallback)
}

/// A callback of `CBPeripheralManagerDelegate`.
package enum PeripheralManagerCallback: Hashable, Sendable {
  /// Sent only to a manager with preserved state, before `didUpdateState`.
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
  /// Writes that succeed or fail together; requires one `respond`, with the identifier of the first write.
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
}

extension PhoneMessage {
  package static func didUpdateState(_ state: ManagerState, of manager: ManagerID) -> Self {
    switch manager.role {
    case .peripheral: .peripheral(manager.name, .didUpdateState(state))
    case .central: .central(manager.name, .didUpdateState(state))
    }
  }

  /// The manager that the message is for; nil for one about the app.
  package var manager: ManagerID? {
    switch self {
    case .peripheral(let name, _): ManagerID(.peripheral, name)
    case .central(let name, _): ManagerID(.central, name)
    case .welcome, .refused, .didChangeState, .willTerminate: nil
    }
  }

  /// The state of a `didUpdateState`; nil for other messages.
  package var updatedState: ManagerState? {
    switch self {
    case .peripheral(_, .didUpdateState(let state)), .central(_, .didUpdateState(let state)): state
    default: nil
    }
  }

  /// The phone's number for the channel that comes with the message.
  package var openedChannel: Int? {
    switch self {
    case .peripheral(_, .didOpenL2CAPChannel(let channel)): channel.id
    case .central(_, .peripheral(_, .didOpenL2CAPChannel(let id, _, error: nil))): id
    default: nil
    }
  }
}

extension PhoneMessage: JSONMessage {
  package static let blank = PhoneMessage.willTerminate(.crash)

  package static func variants<V: JSONVisitor>(_ v: inout V, _ it: Self, _ read: inout Self?) throws(V.Failure) {
    try v.variant(
      "peripheral", it, &read,
      { if case .peripheral(let name, let callback) = $0 { (name, callback) } else { nil } },
      { v, it throws(V.Failure) in
        let callback = try v.field("callback", it?.1)
        return .peripheral(try v.field("id", it?.0), callback)
      })
    try v.variant(
      "central", it, &read, { if case .central(let name, let callback) = $0 { (name, callback) } else { nil } },
      { v, it throws(V.Failure) in
        let callback = try v.field("callback", it?.1)
        return .central(try v.field("id", it?.0), callback)
      })
    try v.variant(
      "didChangeState", "state", it, &read, Self.didChangeState,
      ["enum": .values(AppState.allCases.filter { $0 != .notRunning })]
    ) {
      if case .didChangeState(let it) = $0 { it } else { nil }
    }
    try v.variant(
      "welcome", it, &read,
      {
        if case .welcome(let version, let managers, let next) = $0 { (version, managers, next) } else { nil }
      },
      { v, it throws(V.Failure) in
        let managers = try v.optional(
          "managers", it?.1,
          [
            "description": "The managers for which the phone has launched the app.",
            "items": ["properties": ["id": ["type": "string"]]],
          ])
        let next = try v.optional(
          "nextService", it?.2,
          "A number above those of all preserved services; absent where none is preserved.")
        let version = try v.field("version", it?.0, ["const": .number(appLinkVersion)])
        return .welcome(version: version, managers: managers, nextService: next)
      })
    try v.variant("refused", "reason", it, &read, Self.refused) { if case .refused(let it) = $0 { it } else { nil } }
    try v.variant(
      "willTerminate", "reason", it, &read, Self.willTerminate,
      ["enum": .values(TerminationCause.allCases.filter { $0 != .crash })]
    ) {
      if case .willTerminate(let it) = $0 { it } else { nil }
    }
  }
}

extension PeripheralManagerCallback: JSONMessage {
  package static let blank = PeripheralManagerCallback.isReadyToUpdateSubscribers

  package static func variants<V: JSONVisitor>(_ v: inout V, _ it: Self, _ read: inout Self?) throws(V.Failure) {
    try v.variant("didReceiveRead", "request", it, &read, Self.didReceiveRead) {
      if case .didReceiveRead(let it) = $0 { it } else { nil }
    }
    try v.variant("didReceiveWrite", "requests", it, &read, Self.didReceiveWrite, ["minItems": 1]) {
      if case .didReceiveWrite(let it) = $0 { it } else { nil }
    }
    try v.variant(
      "didUpdateValue", it, &read,
      { if case .didUpdateValue(let id, let queued, let error) = $0 { (id, queued, error) } else { nil } },
      { v, it throws(V.Failure) in
        let characteristic = try v.field("characteristic", it?.0)
        let error = try v.optional(
          "error", it?.2, "Why the update was not sent; absent where the queue is full.")
        return .didUpdateValue(characteristic, queued: try v.field("queued", it?.1), error: error)
      })
    v.variant("isReadyToUpdateSubscribers", .isReadyToUpdateSubscribers, it, &read)
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
    try v.variant(
      "didOpenL2CAPChannel", "channel", it, &read, Self.didOpenL2CAPChannel,
      "A stream socket for the bytes of the channel comes with the line, as a descriptor (SCM_RIGHTS)."
    ) {
      if case .didOpenL2CAPChannel(let it) = $0 { it } else { nil }
    }
  }
}
