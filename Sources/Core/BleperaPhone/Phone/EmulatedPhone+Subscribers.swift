import BleperaAppLink
package import BleperaBluetooth
import BleperaLoop
import BleperaRadio
import BleperaRules

/// Subscriptions, and updates to subscribers.
extension EmulatedPhone {
  func subscribed(_ central: RadioCentral, to handle: AttributeHandle) {
    guard let found = services.attribute(handle) else {
      if let own = phoneServices?.attribute(handle) { report(.subscribed(central, own.name)) }
      return
    }
    report(.subscribed(central, found.name), of: found.app)
    // For the app, the central has been subscribed all the time.
    if resumeSubscription(of: central, found) { return }
    preserve()
    notify(found.manager, of: found.app, .didSubscribe(self.central(central), to: found.characteristic), .subscribe)
  }

  func unsubscribed(_ central: RadioCentral, from handle: AttributeHandle) {
    guard let found = services.attribute(handle) else {
      if let own = phoneServices?.attribute(handle) { report(.unsubscribed(central, own.name)) }
      return
    }
    report(.unsubscribed(central, found.name), of: found.app)
    preserve()
    // A manager that is forgotten with its services is nobody's.
    guard apps[found.app]?.keeps(found.manager) == true else { return }
    notify(
      found.manager, of: found.app, .didUnsubscribe(self.central(central), from: found.characteristic), .unsubscribe)
  }

  // MARK: Updates

  /// Updates a value as if the app had sent it over its link, for an app in this process.
  ///
  /// - Returns: whether the value is queued, like `updateValue`; also false for an app that does not run.
  package func update(
    _ characteristic: CharacteristicID, to value: [UInt8], onSubscribedCentrals centrals: [CentralID]? = nil,
    of bundleIdentifier: String
  ) -> Bool {
    guard let id = apps.id(of: bundleIdentifier) else { return false }
    return update(characteristic, value, to: centrals?.map { self.centrals.address(of: $0) }, of: id)
  }

  /// - Parameters:
  ///   - centrals: nil for all subscribers.
  ///   - manager: the manager that waits for `didUpdateValue`; nil for an app in this process.
  @discardableResult
  func update(
    _ characteristic: CharacteristicID, _ value: [UInt8], to centrals: [CentralID]?, of id: AppID,
    answering manager: ManagerID? = nil
  ) -> Bool {
    func refuse(error: String?) -> Bool {
      guard let manager else { return false }
      // The answers to the updates before it come first.
      if updates.hasUnsaved { saveUpdates() }
      send(.peripheral(manager.name, .didUpdateValue(characteristic, queued: false, error: error)), to: id)
      return false
    }
    // A suspended app does not run: updates that it sent before it received its state are not sent.
    guard policy.isRunning(id), let handle = services.handle(of: characteristic, of: id),
      let found = services.attribute(handle)
    else {
      let reason = policy.isRunning(id) ? "there is no such characteristic" : "the app does not run"
      return refuse(error: reason)
    }
    var subscribers = self.subscribers(of: handle)
    if let centrals { subscribers.removeAll { !centrals.contains($0.id) } }
    // Updates that were kept for a central are sent before newer values.
    if restored.isResuming {
      subscribers.removeAll {
        restored.append(value, toResuming: .init(app: id, characteristic: characteristic, central: $0.id))
      }
    }
    let ids = subscribers.map(\.id)
    if !subscribers.isEmpty {
      // The queue counts as full until `isReadyToUpdateSubscribers` is sent (Apple's forum 796390).
      let isWaiting = apps[id]?.isWaitingToUpdate == true
      guard !isWaiting, updates.queue.hasRoom(for: ids, limit: policy.transmitQueueLimit(of: id)) else {
        apps[id]?.isWaitingToUpdate = true
        return refuse(error: nil)
      }
      if let failure = transmit(handle, value, to: ids) {
        report(.updateRefused(found.name, value: value, reason: "\(failure)"), of: id)
        return refuse(error: "\(failure)")
      }
    }
    let isKept = restored.keep(value, of: id, characteristic, for: centrals)
    if isKept {
      report(.kept(restored.centrals(of: id, characteristic).map(\.rawValue), found.name, value: value), of: id)
    }
    if !subscribers.isEmpty { reportValue(.notified(subscribers, found.name, value: value), of: id) }
    guard isKept else {
      if let manager { send(.peripheral(manager.name, .didUpdateValue(characteristic, queued: true)), to: id) }
      return true
    }
    // Saved together with updates that follow closely, and only then reported as queued.
    let session = apps[id]?.session ?? 0
    let update = manager.map {
      UpdateDelivery.Unsaved(app: id, session: session, manager: $0, characteristic: characteristic)
    }
    updates.kept(update) {
      loop.schedule(after: Self.updateSavingDelay) { [weak self] in self?.assumeIsolated { $0.saveUpdates() } }
    }
    return true
  }

  private static let updateSavingDelay = Duration.milliseconds(5)

  private func saveUpdates() {
    preserve()
    for update in updates.takeUnsaved() where apps[update.app]?.session == update.session {
      send(.peripheral(update.manager.name, .didUpdateValue(update.characteristic, queued: true)), to: update.app)
    }
  }

  /// Sends an update that has room, and counts it until the next connection event.
  private func transmit(
    _ handle: AttributeHandle, _ value: [UInt8], to centrals: [CentralID], isKept: Bool = false
  ) -> RadioFailure? {
    let failure = withRadio { radio in
      guard isKept, let central = centrals.first else { return radio.update(handle, value, to: centrals) }
      return radio.updateKept(handle, value, for: central)
    }
    if let failure = failure ?? nil { return failure }
    updates.add(to: centrals) { awaitConnectionEvent() }
    return nil
  }

  private func awaitConnectionEvent() -> any LoopTimer {
    loop.schedule(after: policy.rules.connectionInterval.value) { [weak self] in
      self?.assumeIsolated { $0.drainTransmitQueue() }
    }
  }

  private func drainTransmitQueue() {
    updates.drain(
      uncarried: { central in withRadio { $0.uncarriedUpdates(to: central) } ?? 0 }, timer: { awaitConnectionEvent() })
    for id in apps.ids where apps[id]?.isWaitingToUpdate == true {
      guard updates.queue.hasRoom(limit: policy.transmitQueueLimit(of: id)) else { continue }
      apps[id]?.isWaitingToUpdate = false
      for manager in apps[id]?.managers ?? [] where manager.id.role == .peripheral && !manager.isToBeRestored {
        notify(manager.id, of: id, .isReadyToUpdateSubscribers)
      }
    }
  }

  func subscribers(of handle: AttributeHandle) -> [RadioCentral] {
    withRadio { $0.subscribers(of: handle) } ?? []
  }

  /// The subscribed centrals as the app sees them, including those that the radio does not know.
  func subscribers(of characteristic: CharacteristicID, of id: AppID) -> [CentralDescription] {
    guard let handle = services.handle(of: characteristic, of: id) else { return [] }
    return subscribers(of: handle).map { central($0) }
      + restored.centrals(of: id, characteristic).map { central(RadioCentral(id: $0)) }
  }

  // MARK: Restored subscribers

  /// Sends the kept updates to a restored subscriber that has subscribed again; false for a new subscriber.
  private func resumeSubscription(of central: RadioCentral, _ found: PublishedServices.Attribute) -> Bool {
    let subscription = RestoredSubscribers.Subscription(
      app: found.app, characteristic: found.characteristic, central: central.id)
    guard let hasUpdates = restored.resume(subscription) else { return false }
    preserve()
    guard hasUpdates else { return true }
    // The radio accepts updates for this central once the call that reports its subscription has returned.
    Task {
      for value in restored.finishResuming(subscription) {
        if let failure = transmit(found.handle, value, to: [central.id], isKept: true) {
          report(.updateRefused(found.name, value: value, reason: "\(failure)"), of: found.app)
        } else {
          reportValue(.notified([central], found.name, value: value), of: found.app)
        }
      }
    }
    return true
  }

  /// Unsubscribes restored subscribers that are not bonded and have disconnected, while the phone was off or now.
  func removeExpiredSubscribers() {
    guard !restored.isEmpty, let connected = connectedCentrals else { return }
    for subscription in restored.removeExpired(unless: { connected.contains($0) }) {
      let former = RadioCentral(id: subscription.central)
      guard
        let found = services.handle(of: subscription.characteristic, of: subscription.app).flatMap(services.attribute)
      else { continue }
      report(.unsubscribed(former, found.name), of: found.app)
      notify(found.manager, of: found.app, .didUnsubscribe(central(former), from: found.characteristic), .unsubscribe)
    }
    preserve()
  }

  /// Starts the timers within which connected restored subscribers must subscribe again.
  func startStaleTimers() {
    guard let connected = connectedCentrals else { return }
    restored.startTimers(connected: connected) { central, limit in
      loop.schedule(after: limit) { [weak self] in
        self?.assumeIsolated { phone in
          if phone.restored.isStale(central) { phone.withRadio { $0.disconnect(central) } }
        }
      }
    }
  }

  private var connectedCentrals: Set<CentralID>? { withRadio { Set($0.connectedCentrals.map(\.id)) } }
}
