import BleperaAppLink
import BleperaBluetooth
import BleperaLoop
package import BleperaPreservation
import BleperaRadio
import BleperaRules
import FoundationEssentials

/// State that outlives an app and the phone (R7).
extension EmulatedPhone {
  /// Saves the state once at the end of this turn of the loop, if it has changed. Output that acknowledges the change
  /// follows: see `output`.
  func preserve() {
    if !isShutDown, saving.schedule() { Task { self.saveNow() } }
  }

  /// Saves the state within 20 ms, with changes that follow: the services of an app are published one by one, and
  /// saving takes the longer the more there are.
  func preserveSoon() {
    guard !isShutDown else { return }
    saving.schedule {
      loop.schedule(after: .milliseconds(20)) { [weak self] in self?.assumeIsolated { $0.saveNow() } }
    }
  }

  /// Saves the state within a second, for a change that no output acknowledges.
  func preserveLater() { preserve(after: .seconds(1)) }

  private func preserve(after delay: Duration) {
    guard !isShutDown else { return }
    saving.scheduleLater {
      loop.schedule(after: delay) { [weak self] in
        self?.assumeIsolated { phone in
          phone.saving.laterTimerEnded()
          phone.preserve()
        }
      }
    }
  }

  /// Performs output to an app at once, or after a pending change is saved.
  func output(_ body: @escaping () -> Void) {
    if !saving.isPending { body() } else { saving.add(body) }
  }

  /// Saves a pending change, then performs the output that waits for it.
  func saveNow() {
    guard saving.begin() else { return }
    save()
    for output in saving.takeOutputs() { output() }
  }

  /// How long after a failure the state is saved again.
  private static let savingInterval = Duration.seconds(5)

  /// Saves the state, and tries again until that succeeds. The acknowledgment is sent all the same: an app that
  /// waits for a callback would stop for as long as the disk is full, and the event says that the state may be lost.
  private func save() {
    guard !isShutDown else { return }
    for (reason, app) in saving.save(preservedState) { report(.notSaved(reason), of: app.flatMap { apps.id(of: $0) }) }
    if saving.failure != nil { preserve(after: Self.savingInterval) }
  }

  package var preservedState: PreservedState {
    PreservedState(
      apps: apps.ids.compactMap { preservedApp($0) }, screen: preservedScreen,
      identity: (withRadio { $0.identity } ?? nil) ?? saving.identity, peripherals: central.preservedPeripherals)
  }

  private var preservedScreen: PreservedScreen? {
    if policy.awaitsFirstUnlock { return .beforeFirstUnlock }
    return policy.isScreenLocked ? .locked : nil
  }

  private func preservedApp(_ id: AppID) -> PreservedApp? {
    guard let app = apps[id] else { return nil }
    let managers = app.managers.map(\.id).filter { $0.restoreIdentifier != nil }
    guard !managers.isEmpty else { return nil }
    let services = services.services(of: id).filter { $0.manager.restoreIdentifier != nil }
    return PreservedApp(
      identity: app.identity, launch: app.process, since: app.since, termination: app.ended,
      execution: preservedExecution(of: id, app), managers: managers.map { preserved($0, of: id) },
      services: services.map { preserved($0) }, subscribers: preservedSubscribers(of: id) + restored.preserved(of: id),
      events: policy.keptNotices(of: id).compactMap { event, kind in
        requests.message(event).map { PreservedEvent(kind: kind, message: $0) }
      })
  }

  /// Where the screen is on, the app itself knows whether it is in the foreground.
  private func preservedExecution(of id: AppID, _ app: AppRecord) -> PreservedExecution? {
    guard app.isRunning else { return app.former?.execution }
    let execution = PreservedExecution(
      isSuspended: policy.state(of: id) == .suspended,
      isFrontmost: policy.isScreenLocked && policy.isFrontmost(id))
    return execution.isSuspended || execution.isFrontmost ? execution : nil
  }

  private func preserved(_ manager: ManagerID, of id: AppID) -> PreservedManager {
    guard manager.role == .peripheral else { return central.preserved(CentralUser(app: id, manager: manager)) }
    let place = policy.advertisers.enumerated().first { $1.app == id && $1.manager == manager }
    return PreservedManager(
      name: manager.name,
      content: .peripheral(
        advertisement: place.map { order, advertiser in
          PreservedAdvertisement(requested: advertiser.requested, effective: advertiser.effective, order: order)
        }))
  }

  private func preserved(_ service: PublishedServices.Service) -> PreservedService {
    PreservedService(
      id: service.id, manager: service.manager.name, definition: service.definition, handles: service.handles,
      descriptorValues: services.writtenDescriptors(of: service).map {
        DescriptorValue(characteristic: $0.characteristic, descriptor: $0.descriptor, value: $0.value)
      })
  }

  private func preservedSubscribers(of id: AppID) -> [PreservedSubscriber] {
    services.characteristics(of: id).filter { $0.manager.restoreIdentifier != nil }.flatMap { characteristic in
      let awaited = restored.centrals(of: id, characteristic.id)
      return (withRadio { $0.retainedSubscribers(of: characteristic.handle) } ?? [])
        .filter { !awaited.contains($0.id) }.map { central in
          PreservedSubscriber(central: central.id, isBonded: central.isBonded, characteristic: characteristic.id)
        }
    }
  }

  // MARK: Restoring

  /// Publishes and advertises the state that the last phone of this name preserved, for apps that do not run.
  func restoreSavedState() {
    let loaded: PreservedState
    do throws(PreservationFailure) {
      loaded = try saving.load()
    } catch {
      // A file that cannot be read must not be overwritten: the caller has checked before.
      return report(.notSaved("\(error)"))
    }
    if let damage = saving.damage { report(.stateDamaged(damage)) }
    if let screen = loaded.screen {
      feed(.screenPreserved(isBeforeFirstUnlock: screen == .beforeFirstUnlock))
      saving.isScreenRestored = true
      report(.screenRestored)
    }
    use(isPerformed: false) { $0.restore(loaded.peripherals ?? [], at: now) }
    let managers = loaded.apps.flatMap { app in
      let id = restore(app)
      return app.managers.map { (app: id, manager: $0) }
    }
    for (app, manager) in managers.sorted(by: { $0.manager.order < $1.manager.order }) {
      use(isPerformed: false) { $0.restore(manager, of: app, at: now, timestamp: timestamp) }
      let advertisement = manager.advertisement
      feed(
        .managerCreated(
          app, manager.id, requested: advertisement?.requested, effective: advertisement?.effective))
    }
    for app in loaded.apps {
      guard let id = apps.id(of: app.identity.bundleIdentifier) else { continue }
      for event in app.events {
        if let manager = event.message.manager { notify(manager, of: id, event.message, event.kind) }
      }
    }
    for id in apps.ids { centralAppChanged(id) }
    preserve()
  }

  /// Adds an app with the services of its managers, which the caller adds to the rules.
  private func restore(_ preserved: PreservedApp) -> AppID {
    let ended = preserved.termination ?? AppTermination(cause: .crash, at: today)
    let peripherals = preserved.managers.flatMap(\.peripherals)
    let restoration = PhoneEvent.restored(
      app: preserved.identity.bundleIdentifier, services: preserved.services.map(\.definition.uuid),
      subscribers: preserved.subscribers.count,
      peripherals: peripherals.compactMap { address(of: $0.peripheral.id) },
      subscriptions: subscriptions(peripherals), isSuspended: preserved.execution?.isSuspended == true,
      since: preserved.since)
    let id = apps.add(
      AppRecord(
        preserved, launched: preserved.launch.flatMap { launcher?.storable($0) }, ended: ended,
        AppRecord.Former(execution: preserved.execution, restoration: restoration)))
    let published = preserved.services.map { kept in
      let service = services.restore(
        kept.id, kept.definition, kept.handles, by: ManagerID(.peripheral, kept.manager), of: id)
      for written in kept.descriptorValues {
        services.write(
          written.value,
          toDescriptor: service.handles.characteristics[written.characteristic].descriptors[written.descriptor])
      }
      return service.radioService
    }
    restored.add(preserved.subscribers, of: id)
    report(restoration, of: id)
    feed(.preserved(id, preserved.identity, hasSubscribers: !preserved.subscribers.isEmpty, cause: ended.cause))
    if !published.isEmpty { withRadio { $0.publish(published) } }
    return id
  }

  /// Reports what an app that is launched again has to restore.
  func reportRestored(_ id: AppID) {
    // State that the phone restores at its own start is reported at that start.
    guard let app = apps[id], app.former == nil else { return }
    let services = services.services(of: id)
    let subscribers = services.flatMap { service in
      service.definition.characteristics.indices.flatMap {
        self.subscribers(of: CharacteristicID(service: service.id, index: $0), of: id)
      }
    }
    let peripherals = central.users.filter { $0.app == id }.flatMap { central.restoredState(of: $0).peripherals }
    report(
      .restored(
        app: app.identity.bundleIdentifier, services: services.map(\.definition.uuid), subscribers: subscribers.count,
        peripherals: peripherals.compactMap { address(of: $0.peripheral.id) },
        subscriptions: subscriptions(peripherals),
        isSuspended: false, since: nil), of: id)
  }

  private func subscriptions(_ peripherals: [RestoredPeripheral]) -> Int {
    peripherals.flatMap(\.services).flatMap(\.characteristics).count(where: \.characteristic.isNotifying)
  }
}
