import BleperaAppLink
import BleperaBluetooth
import BleperaProfileApp

/// Short forms of the events and actions in traces, under their names.
extension ProfileMachine.Event {
  /// A callback for the manager of an app that is not restored.
  static func callback(_ callback: PeripheralManagerCallback) -> Self { received(.peripheral(.number(0), callback)) }

  static let poweredOn = state(.poweredOn)
  static let isReadyToUpdateSubscribers = callback(.isReadyToUpdateSubscribers)

  static func didChangeState(_ state: AppState) -> Self { received(.didChangeState(state)) }

  static func due(response request: Int) -> Self { due(.response(RequestID(rawValue: request))) }

  static func due(_ id: CharacteristicID) -> Self { due(.generator(id)) }

  static func state(_ state: ManagerState) -> Self { callback(.didUpdateState(state)) }

  static func didAddService(_ service: Int, error: String? = nil) -> Self {
    callback(.didAddService(ServiceID(rawValue: service), error: error))
  }

  static func didSubscribe(_ central: String, _ id: CharacteristicID) -> Self {
    callback(.didSubscribe(.named(central), to: id))
  }

  static func didUnsubscribe(_ central: String, _ id: CharacteristicID) -> Self {
    callback(.didUnsubscribe(.named(central), from: id))
  }

  static func read(_ request: Int, _ id: CharacteristicID, offset: Int = 0) -> Self {
    callback(
      .didReceiveRead(
        ReadRequest(id: RequestID(rawValue: request), central: .named("A"), characteristic: id, offset: offset)))
  }

  static func write(_ request: Int, _ id: CharacteristicID, offset: Int = 0, _ value: [UInt8]) -> Self {
    write([(request, id, offset, value)])
  }

  /// Several write requests in one unit.
  static func write(_ parts: [(request: Int, id: CharacteristicID, offset: Int, value: [UInt8])]) -> Self {
    callback(
      .didReceiveWrite(
        parts.map { part in
          WriteRequest(
            id: RequestID(rawValue: part.request), central: .named("A"), characteristic: part.id,
            offset: part.offset, value: part.value)
        }))
  }

  static func didUpdateValue(_ id: CharacteristicID, queued isQueued: Bool) -> Self {
    callback(.didUpdateValue(id, queued: isQueued))
  }
}

extension ProfileMachine.Action {
  /// A call of the manager of an app that is not restored.
  static func call(_ call: PeripheralManagerCall) -> Self { send(.peripheral(.number(0), call)) }

  static func updateValue(_ id: CharacteristicID, _ value: [UInt8]) -> Self {
    call(.updateValue(id, value: value, centrals: nil))
  }

  static func schedule(response request: Int, at time: Duration) -> Self {
    schedule(.response(RequestID(rawValue: request)), at: time)
  }

  static func unschedule(response request: Int) -> Self { unschedule(.response(RequestID(rawValue: request))) }

  static func schedule(_ id: CharacteristicID, at time: Duration) -> Self { schedule(.generator(id), at: time) }

  static func unschedule(_ id: CharacteristicID) -> Self { unschedule(.generator(id)) }

  static func respond(_ request: Int, _ value: [UInt8] = []) -> Self {
    call(.respond(RequestID(rawValue: request), error: nil, value: value))
  }

  static func respond(_ request: Int, error: ATTError) -> Self {
    call(.respond(RequestID(rawValue: request), error: error, value: []))
  }
}

extension CentralDescription {
  static func named(_ name: String) -> CentralDescription {
    CentralDescription(id: CentralID(rawValue: name), maximumUpdateValueLength: 182)
  }
}
