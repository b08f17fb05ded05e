/// What the system says to an app: the callbacks of `CBPeripheralManagerDelegate`, and the lifecycle.
public enum SystemMessage: Hashable, Codable, Sendable {
  /// The answer to `hello`, with the version that the system speaks.
  case welcome(version: Int)
  /// The lifecycle: `UIApplicationDelegate`'s. An app runs until it is told that it is suspended.
  case didChangeState(ExecutionState)
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
