public import BleperaBluetooth

/// A message from the system to an app: a callback of `CBPeripheralManagerDelegate`, or a lifecycle event.
public enum PhoneMessage: Hashable, Codable, Sendable {
  /// The response to a valid `hello`, with the system's protocol version. For an app that the phone has launched, as
  /// with `UIApplication.LaunchOptionsKey.bluetoothPeripherals`, the restoration identifiers of its managers.
  case welcome(version: Int, bluetoothPeripherals: [String]? = nil)
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
  /// A nil `error` is success.
  case didStartAdvertising(error: String?)
  case didSubscribe(Central, to: CharacteristicID)
  case didUnsubscribe(Central, from: CharacteristicID)
  /// Requires one `respond`.
  case didReceiveRead(ReadRequest)
  /// One unit, all or nothing; requires one `respond`, with the identifier of the first write.
  case didReceiveWrite([WriteRequest])
  /// Whether the last `updateValue` of that characteristic was queued. False means that the transmit queue is full and
  /// `isReadyToUpdateSubscribers` follows, or, with an `error`, that the update cannot be sent.
  case didUpdateValue(CharacteristicID, queued: Bool, error: String? = nil)
  case isReadyToUpdateSubscribers
  /// A callback for another manager than the first. What is for all managers is not in such a message.
  indirect case manager(ManagerID, PhoneMessage)
}

extension PhoneMessage {
  /// The service that the message is about; nil for one that is not about a service.
  public var service: ServiceID? {
    switch self {
    case .didAddService(let service, _): service
    case .didSubscribe(_, let characteristic), .didUnsubscribe(_, let characteristic),
      .didUpdateValue(let characteristic, _, _):
      characteristic.service
    case .didReceiveRead(let request): request.characteristic.service
    case .didReceiveWrite(let requests): requests.first?.characteristic.service
    case .welcome, .refused, .didChangeState, .willTerminate, .willRestoreState, .didUpdateState, .didStartAdvertising,
      .isReadyToUpdateSubscribers, .manager:
      nil
    }
  }
}

/// The JSON keys of associated values whose Swift label is missing or not a noun.
extension PhoneMessage {
  enum DidChangeStateCodingKeys: String, CodingKey {
    case _0 = "state"
  }

  enum WillTerminateCodingKeys: String, CodingKey {
    case _0 = "reason"
  }

  enum WillRestoreStateCodingKeys: String, CodingKey {
    case _0 = "state"
  }

  enum DidUpdateStateCodingKeys: String, CodingKey {
    case _0 = "state"
  }

  enum DidAddServiceCodingKeys: String, CodingKey {
    case _0 = "id"
    case error
  }

  enum DidSubscribeCodingKeys: String, CodingKey {
    case _0 = "central"
    case to = "characteristic"
  }

  enum DidUnsubscribeCodingKeys: String, CodingKey {
    case _0 = "central"
    case from = "characteristic"
  }

  enum DidReceiveReadCodingKeys: String, CodingKey {
    case _0 = "request"
  }

  enum DidReceiveWriteCodingKeys: String, CodingKey {
    case _0 = "requests"
  }

  enum ManagerCodingKeys: String, CodingKey {
    case _0 = "id"
    case _1 = "message"
  }

  enum DidUpdateValueCodingKeys: String, CodingKey {
    case _0 = "characteristic"
    case queued
    case error
  }
}
