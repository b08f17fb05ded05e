import BleperaAppLink
import BleperaBluetooth
import BleperaLoop
import BleperaPreservation
import Glibc
import Synchronization

@testable import BleperaPhone

/// The process of an app of a `RestorationHistory`: creates its managers, publishes where it had nothing published, and
/// writes down what each manager receives.
final class HistoryApp: @unchecked Sendable {  // runs on the history's loop
  static let identity = AppIdentity(
    bundleIdentifier: "org.example.history", name: "history",
    backgroundModes: ["bluetooth-central", "bluetooth-peripheral"])

  let link: InMemoryAppLink<AppMessage, PhoneMessage>
  private let system: InMemoryAppLink<PhoneMessage, AppMessage>
  private let byUser: Bool
  private unowned let history: RestorationHistory
  private var isActive = false
  private(set) var isSuspended = false

  init(_ history: RestorationHistory, byUser: Bool) {
    (self.history, self.byUser) = (history, byUser)
    let ends = makeInMemoryLink()
    (link, system) = (ends.app, ends.system)
  }

  func run(on phone: EmulatedPhone, _ process: pid_t) async {
    phone.assumeIsolated { $0.attach(system, into: byUser ? .foreground : .background, peer: process) }
    link.send(.hello(version: appLinkVersion, app: Self.identity, process: nil))
    for id in RestorationHistory.centrals + RestorationHistory.publishers { link.send(.create(id)) }
    for await message in link.incoming { handle(message) }
  }

  private func handle(_ message: PhoneMessage) {
    switch message {
    case .didChangeState(let state): (isActive, isSuspended) = (state == .foreground, state == .suspended)
    case .central(let name, let callback): handle(callback, ManagerID(.central, name))
    case .peripheral(let name, let callback): handle(callback, ManagerID(.peripheral, name))
    case .welcome, .refused, .willTerminate: break
    }
  }

  private func received(_ text: String, _ id: ManagerID) { history.received(text, by: id) }

  /// The first callbacks of a manager say that it is created.
  private func begin(_ id: ManagerID) {
    if isActive, history.managers[id]?.ended != nil { received("active too early", id) }
    history.created(id)
  }

  private func address(_ id: PeripheralID) -> String {
    RestorationHistory.peripherals.first { $0.forApps == id }?.rawValue ?? "\(id)"
  }

  private func address(_ central: CentralDescription) -> String {
    RestorationHistory.subscribers.first { $0.forApps == central.id }?.rawValue ?? "\(central)"
  }

  private func handle(_ callback: CentralCallback, _ id: ManagerID) {
    switch callback {
    case .willRestoreState(let state):
      begin(id)
      let lines = state.peripherals.map { restored in
        let isNotifying = restored.services.contains {
          $0.characteristics.contains(where: \.characteristic.isNotifying)
        }
        return "\(address(restored.peripheral.id)) \(restored.state)\(isNotifying ? " notifying" : "")"
      }
      received("restored \(lines.sorted())", id)
    case .didUpdateState(let state):
      if history.managers[id]?.isCreated != true { begin(id) }
      received("state \(state == .poweredOn)", id)
    case .didConnect(let peripheral): received("connected \(address(peripheral.id))", id)
    case .didDisconnectPeripheral(let peripheral, _, let isReconnecting, _):
      received("disconnected \(address(peripheral))\(isReconnecting ? " reconnecting" : "")", id)
    case .peripheral(let peripheral, .didUpdateValue): received("value \(address(peripheral))", id)
    default: break
    }
  }

  private static let service = ServiceDefinition(
    uuid: BluetoothUUID(0x1815 as UInt16),
    characteristics: [
      CharacteristicDefinition(uuid: BluetoothUUID(0x2A56 as UInt16), properties: .notify, permissions: .readable)
    ])

  private func handle(_ callback: PeripheralManagerCallback, _ id: ManagerID) {
    switch callback {
    case .willRestoreState(let state):
      begin(id)
      let centrals = state.services.flatMap(\.subscriptions).flatMap(\.centrals).map { address($0) }
      received("restored \(state.services.count == 1 ? centrals : ["\(state.services.count) services"])", id)
    case .didUpdateState(let state):
      if history.managers[id]?.isCreated != true { begin(id) }
      received("state \(state == .poweredOn)", id)
      publish(id, state)
    case .didSubscribe(let central, _): received("subscribed \(address(central))", id)
    case .didUnsubscribe(let central, _): received("unsubscribed \(address(central))", id)
    default: break
    }
  }

  private func publish(_ id: ManagerID, _ state: ManagerState) {
    guard state == .poweredOn, history.managers[id]?.publishes == false else { return }
    history.managers[id]?.publishes = true
    let number = id == RestorationHistory.publishers[0] ? 0 : 1
    link.send(.peripheral(id.name, .addService(ServiceID(rawValue: number), Self.service)))
    link.send(
      .peripheral(id.name, .startAdvertising(AdvertisementData(localName: nil, serviceUUIDs: [Self.service.uuid]))))
  }
}

/// Launches the process of a history.
final class HistoryLauncher: AppLauncher {
  private let start: @Sendable (_ byUser: Bool) -> pid_t

  init(_ start: @escaping @Sendable (_ byUser: Bool) -> pid_t) { self.start = start }

  func launch(
    _ app: AppIdentity, _ process: LaunchDescription?, byUser: Bool, ended: @escaping @Sendable (String) -> Void
  ) throws(LaunchFailure) -> pid_t? { start(byUser) }

  func end(_ process: pid_t) {}
}

/// Writes a state file only where another phone reads it: the bytes of all saves would take most of a history's time.
final class HistoryStore: PreservationStore {
  private let saved = Mutex<PreservedState?>(nil)

  func load() throws(PreservationFailure) -> LoadedState {
    guard let state = saved.withLock({ $0 }) else { return LoadedState(state: PreservedState()) }
    do {
      return LoadedState(state: try StateFile.decode(try StateFile.encode(state)))
    } catch {
      throw .cannotRead("the history's state", reason: "\(error)")
    }
  }

  func save(_ state: PreservedState) throws(PreservationFailure) { saved.withLock { $0 = state } }
}
