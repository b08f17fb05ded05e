import AppLink
public import GATT
import Synchronization

extension App {
  /// Whether the radio can be used: the states of `CBManagerState`.
  public enum BluetoothState: String, Hashable, Sendable {
    case unknown, resetting, unsupported, unauthorized, poweredOff, poweredOn
  }

  /// What an app hears from the system: callbacks of `CBPeripheralManagerDelegate`, and its lifecycle.
  public enum Event: Hashable, Sendable {
    /// What the system has kept of it; before the first `didUpdateState`.
    case willRestoreState(Restored)
    case didUpdateState(BluetoothState)
    case didChangeState(State)
    case didSubscribe(Central, to: BluetoothUUID)
    case didUnsubscribe(Central, from: BluetoothUUID)
    /// There is room for values again, after `update` has returned false.
    case isReadyToUpdateSubscribers
  }

  /// What an app of closures hears of; nil for what the harness sees to.
  func event(_ message: SystemMessage) -> Event? {
    switch message {
    case .willRestoreState(let state): .willRestoreState(restored(from: state))
    case .didUpdateState(let state): .didUpdateState(BluetoothState(state))
    case .didChangeState(let state): State(rawValue: state.rawValue).map { .didChangeState($0) }
    case .didSubscribe(let central, let id):
      self.central(central.id).map { .didSubscribe($0, to: definition.uuid(of: id)) }
    case .didUnsubscribe(let central, let id):
      self.central(central.id).map { .didUnsubscribe($0, from: definition.uuid(of: id)) }
    case .isReadyToUpdateSubscribers: .isReadyToUpdateSubscribers
    case .welcome, .refused, .willTerminate, .didAddService, .didStartAdvertising, .didReceiveRead, .didReceiveWrite,
      .didUpdateValue:
      nil
    }
  }

  func restored(from state: RestoredState) -> Restored {
    Restored(
      services: state.services.map(\.service.uuid),
      subscribers: state.services.flatMap(\.subscriptions).flatMap(\.centrals).compactMap { central($0.id) })
  }

  private func central(_ id: CentralID) -> Central? {
    phone.air.centrals.withLock { $0[id.rawValue] }
  }
}

extension App.BluetoothState {
  fileprivate init(_ state: ManagerState) {
    switch state {
    case .unknown: self = .unknown
    case .resetting: self = .resetting
    case .unsupported: self = .unsupported
    case .unauthorized: self = .unauthorized
    case .poweredOff: self = .poweredOff
    case .poweredOn: self = .poweredOn
    }
  }
}
