public import BleperaBluetooth

/// What the system says to an app: the callbacks of `CBPeripheralManagerDelegate`, and the lifecycle.
public enum PhoneMessage: Hashable, Codable, Sendable {
  /// The answer to `hello`, with the version that the system speaks.
  case welcome(version: Int)
  /// The other answer to `hello`, and to what is no message; a sentence. The link is closed after it.
  case refused(reason: String)
  /// The lifecycle: `UIApplicationDelegate`'s. An app runs until it is told that it is suspended.
  case didChangeState(AppState)
  /// The lifecycle: the app is to end. The link is closed after it.
  case willTerminate(TerminationCause)
  /// Only to an app that the system has kept something of; comes before `didUpdateState`.
  case willRestoreState(RestoredState)
  case didUpdateState(ManagerState)
  /// A nil `error` is success.
  case didAddService(ServiceID, error: String?)
  /// A nil `error` is success.
  case didStartAdvertising(error: String?)
  case didSubscribe(Central, to: CharacteristicID)
  case didUnsubscribe(Central, from: CharacteristicID)
  /// Answered by `respond`, once.
  case didReceiveRead(ReadRequest)
  /// One unit, all or nothing; answered once, by `respond` with the identifier of the first.
  case didReceiveWrite([WriteRequest])
  /// Whether the last `updateValue` of that characteristic was queued; false means that the transmit queue is full
  /// and `isReadyToUpdateSubscribers` follows.
  case didUpdateValue(CharacteristicID, queued: Bool)
  case isReadyToUpdateSubscribers
}

/// The names on the wire of what the callbacks carry without a label in Swift, or under one that is no noun.
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

  enum DidUpdateValueCodingKeys: String, CodingKey {
    case _0 = "characteristic"
    case queued
  }
}
