import BleperaAppLink
package import BleperaBluetooth
import BleperaLoop
import BleperaRules

/// The managers of apps: how they are created, restored and forgotten.
extension EmulatedPhone {
  private static let mostManagers = 100

  /// Creates a manager of a running app, or restores one that is preserved.
  func create(_ manager: ManagerID, of id: AppID) {
    guard let app = apps[id] else { return }
    if let exception = app.identity.exception(creating: manager) { return refuse(id, exception) }
    guard !app.has(manager) else { return refuse(id, "the app has the \(manager) already") }
    let isRestored = app.keeps(manager)
    guard isRestored || app.managers.count < Self.mostManagers else {
      return refuse(id, "an app has at most \(Self.mostManagers) managers")
    }
    app.created(manager)
    if isRestored {
      sendRestoredState(of: manager, to: id)
    } else if manager.role == .central {
      use { $0.add(CentralUser(app: id, manager: manager)) }
    }
    preserve()
    if power.state != .unknown { send(.didUpdateState(state(of: manager), of: manager), to: id) }
    // The events that have waited for the manager follow (R9).
    feed(.managerCreated(id, manager))
    if app.managers.allSatisfy({ !$0.isToBeRestored }) { activate(id) }
  }

  /// How long an app that the user has launched may take to restore its managers before it becomes active; ours.
  private static let restorationTime = Duration.seconds(1)

  /// Restored managers receive their state before the app becomes active; nil for an app without such managers.
  func activationTimer(of id: AppID, _ app: AppRecord) -> (any LoopTimer)? {
    guard app.managers.contains(where: \.isToBeRestored) else { return nil }
    return loop.schedule(after: Self.restorationTime) { [weak self] in self?.assumeIsolated { $0.activate(id) } }
  }

  /// The app is in the foreground, and learns of it now.
  private func activate(_ id: AppID) {
    // The timer must not be released by its own callback.
    guard let app = apps[id], let timer = app.activation else { return }
    app.activation = nil
    timer.cancel()
    send(.didChangeState(.foreground), to: id)
    withExtendedLifetime(timer) {}
  }

  /// Whether the app has created the manager; refuses the call of one that it has not created.
  func hasCreated(_ manager: ManagerID, _ id: AppID) -> Bool {
    guard apps[id]?.has(manager) != true else { return true }
    refuse(id, "the app has not created the \(manager)")
    return false
  }

  /// A radio may have no central role.
  private func state(of manager: ManagerID) -> ManagerState { manager.role == .central ? centralState : power.state }

  /// Bluetooth is on, off or cannot be used.
  func notifyManagers() {
    for id in apps.ids {
      for manager in apps[id]?.managers ?? [] where !manager.isToBeRestored {
        notify(
          manager.id, of: id, .didUpdateState(state(of: manager.id), of: manager.id),
          manager.id.role == .central ? .power : .callback)
      }
    }
  }

  /// Sends `willRestoreState`; with nothing to restore the manager's state comes first (Apple, Core Bluetooth
  /// Background Processing for iOS Apps).
  private func sendRestoredState(of manager: ManagerID, to id: AppID) {
    switch manager.role {
    case .central:
      let user = CentralUser(app: id, manager: manager)
      let state = central.restoredState(of: user)
      use { $0.restored(user) }
      if state.scan != nil || !state.peripherals.isEmpty {
        send(.central(manager.name, .willRestoreState(state)), to: id)
      }
    case .peripheral:
      let services = services.services(of: id).filter { $0.manager == manager }.map { service in
        let subscriptions = service.definition.characteristics.indices.compactMap { index in
          let centrals = subscribers(of: CharacteristicID(service: service.id, index: index), of: id)
          return centrals.isEmpty ? nil : RestoredService.Subscription(index: index, centrals: centrals)
        }
        return RestoredService(id: service.id, service: service.definition, subscriptions: subscriptions)
      }
      let state = RestoredState(services: services, advertisement: policy.requested(by: manager, of: id))
      guard !services.isEmpty || state.advertisement != nil else { return }
      send(.peripheral(manager.name, .willRestoreState(state)), to: id)
      for service in services { self.services.setReported(service.id, of: id) }
    }
  }

  /// The app's process has ended: those with a restoration identifier stay, with what they have asked for.
  func endManagers(of id: AppID, _ app: AppRecord) {
    for manager in app.endManagers() { removeAllServices(by: manager, of: id) }
    use { $0.processEnded(of: id, keeping: app.managers.map(\.id), at: now) }
    centralAppChanged(id)
  }

  /// Removes a preserved manager that the app has not created again, and its services.
  func forget(_ manager: ManagerID, of id: AppID) {
    apps[id]?.forget(manager)
    removeAllServices(by: manager, of: id)
    use { $0.remove(where: { $0 == CentralUser(app: id, manager: manager) }, at: now) }
    preserve()
  }

  /// The managers with a restoration identifier that have services, advertise, scan, or wait for or use a peripheral:
  /// what the system launches the app for.
  func managersInUse(of id: AppID) -> [ManagerID] {
    let publishing = Set(services.services(of: id).map(\.manager))
    return (apps[id]?.managers ?? []).map(\.id).filter { manager in
      manager.restoreIdentifier != nil
        && (publishing.contains(manager) || policy.requested(by: manager, of: id) != nil
          || central.isInUse(CentralUser(app: id, manager: manager)))
    }
  }

  /// The managers in use of an app that runs in the phone's process.
  package func managersInUse(of bundleIdentifier: String) -> [ManagerID] {
    apps.id(of: bundleIdentifier).map { managersInUse(of: $0) } ?? []
  }
}
