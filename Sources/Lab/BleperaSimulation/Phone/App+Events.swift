import BleperaAppLink
public import BleperaBluetooth
import Synchronization

extension App {
  /// An event that an app receives from the system: callbacks of `CBPeripheralManagerDelegate`, and its lifecycle.
  public enum Event: Hashable, Sendable {
    /// The preserved state of the app; before the first `didUpdateState`.
    case willRestoreState(Restored)
    /// Bluetooth is on, off, or cannot be used; the app publishes and advertises when it is on.
    case didUpdateState(ManagerState)
    /// The app moved to the foreground or the background, or was suspended.
    case didChangeState(AppState)
    /// A central subscribed to a characteristic.
    case didSubscribe(Central, to: BluetoothUUID)
    /// A central unsubscribed from a characteristic, or disconnected.
    case didUnsubscribe(Central, from: BluetoothUUID)
    /// The transmit queue has room again, after `update` returned false.
    case isReadyToUpdateSubscribers
  }

  /// The event for an app of closures; nil for messages that `ScriptedApp` handles itself.
  func event(_ message: PhoneMessage) -> Event? {
    switch message {
    case .peripheral(_, .willRestoreState(let state)): .willRestoreState(restored(from: state))
    case .peripheral(_, .didUpdateState(let state)): .didUpdateState(state)
    case .didChangeState(let state): .didChangeState(state)
    case .peripheral(_, .didSubscribe(let central, let id)):
      self.central(central.id).map { .didSubscribe($0, to: definition.uuid(of: id)) }
    case .peripheral(_, .didUnsubscribe(let central, let id)):
      self.central(central.id).map { .didUnsubscribe($0, from: definition.uuid(of: id)) }
    case .peripheral(_, .isReadyToUpdateSubscribers): .isReadyToUpdateSubscribers
    case .welcome, .refused, .willTerminate, .peripheral, .central: nil
    }
  }

  func restored(from state: RestoredState) -> Restored {
    Restored(
      services: state.services.map(\.service.uuid),
      subscribers: state.services.flatMap(\.subscriptions).flatMap(\.centrals).compactMap { central($0.id) })
  }

  private func central(_ id: CentralID) -> Central? {
    phone.air.centrals.withLock { centrals in
      centrals.first { CentralID(rawValue: $0.key).forApps == id }?.value
    }
  }
}
