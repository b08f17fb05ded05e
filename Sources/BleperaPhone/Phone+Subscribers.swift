import BleperaAppLink
package import BleperaBluetooth
import BleperaLoop
import BleperaRadio
import BleperaRules

/// Subscriptions, and updates to subscribers.
extension Phone {
  func subscribed(_ central: RadioCentral, to handle: AttributeHandle) {
    guard let found = services.attribute(handle) else { return }
    report(.subscribed(central, found.name), of: found.app)
    // For the app, the central has been subscribed all the time.
    if resumeSubscription(of: central, found) { return }
    preserve()
    notify(found.app, .didSubscribe(self.central(central), to: found.characteristic), .subscribe)
  }

  func unsubscribed(_ central: RadioCentral, from handle: AttributeHandle) {
    guard let found = services.attribute(handle) else { return }
    report(.unsubscribed(central, found.name), of: found.app)
    preserve()
    notify(found.app, .didUnsubscribe(self.central(central), from: found.characteristic), .unsubscribe)
  }

  // MARK: Updates

  /// Updates a value as if the app had sent it over its link, for an app in this process.
  ///
  /// - Returns: whether the value is queued, like `updateValue`; also false for an app that does not run.
  package func update(
    _ characteristic: CharacteristicID, to value: [UInt8], onSubscribedCentrals centrals: [CentralID]? = nil,
    of bundleIdentifier: String
  ) -> Bool {
    guard let id = apps.first(where: { $0.value.identity.bundleIdentifier == bundleIdentifier })?.key else {
      return false
    }
    return update(characteristic, value, to: centrals, of: id)
  }

  /// - Parameter centrals: nil for all subscribers.
  @discardableResult
  func update(_ characteristic: CharacteristicID, _ value: [UInt8], to centrals: [CentralID]?, of id: AppID) -> Bool {
    // A suspended app does not run: updates that it sent before it received its state are not sent.
    guard policy.isRunning(id), let handle = services.handle(of: characteristic, of: id),
      let found = services.attribute(handle)
    else {
      let reason = policy.isRunning(id) ? "there is no such characteristic" : "the app does not run"
      send(.didUpdateValue(characteristic, queued: false, error: reason), to: id)
      return false
    }
    let subscribers = self.subscribers(of: handle).filter { centrals?.contains($0.id) ?? true }
    let outcome =
      subscribers.isEmpty
      ? UpdateOutcome.queued : withRadio { $0.update(handle, value, to: subscribers.map(\.id)) } ?? .queueFull
    switch outcome {
    case .queued: break
    case .queueFull:
      send(.didUpdateValue(characteristic, queued: false), to: id)
      apps[id]?.isWaitingToUpdate = true
      return false
    case .refused(let reason):
      report(.updateRefused(found.name, value: value, reason: reason), of: id)
      send(.didUpdateValue(characteristic, queued: false, error: reason), to: id)
      return false
    }
    let isKept = restored.keep(value, of: id, characteristic, for: centrals)
    if isKept {
      report(.kept(restored.centrals(of: id, characteristic).map(\.rawValue), found.name, value: value), of: id)
    }
    if !subscribers.isEmpty { report(.notified(subscribers, found.name, value: value), of: id) }
    guard isKept else {
      send(.didUpdateValue(characteristic, queued: true), to: id)
      return true
    }
    // Saved together with updates that follow closely, and only then reported as queued.
    unsavedUpdates.append((id, apps[id]?.session ?? 0, characteristic))
    if unsavedUpdatesTimer == nil {
      unsavedUpdatesTimer = loop.schedule(after: Self.updateSavingDelay) { [weak self] in
        self?.assumeIsolated { $0.saveUpdates() }
      }
    }
    return true
  }

  private static let updateSavingDelay = Duration.milliseconds(20)

  private func saveUpdates() {
    unsavedUpdatesTimer = nil
    preserve()
    for (id, session, characteristic) in unsavedUpdates where apps[id]?.session == session {
      send(.didUpdateValue(characteristic, queued: true), to: id)
    }
    unsavedUpdates = []
  }

  func readyToUpdate() {
    for id in apps.keys.sorted() where apps[id]?.isWaitingToUpdate == true {
      apps[id]?.isWaitingToUpdate = false
      notify(id, .isReadyToUpdateSubscribers)
    }
  }

  func subscribers(of handle: AttributeHandle) -> [RadioCentral] {
    withRadio { $0.subscribers(of: handle) } ?? []
  }

  /// The subscribed centrals as the app sees them, including those that the radio does not know.
  func subscribers(of characteristic: CharacteristicID, of id: AppID) -> [Central] {
    guard let handle = services.handle(of: characteristic, of: id) else { return [] }
    return subscribers(of: handle).map { central($0) }
      + restored.centrals(of: id, characteristic).map { central(RadioCentral(id: $0)) }
  }

  // MARK: Restored subscribers

  /// Sends the kept updates to a restored subscriber that has subscribed again; false for a new subscriber.
  private func resumeSubscription(of central: RadioCentral, _ found: PublishedServices.Attribute) -> Bool {
    let subscription = RestoredSubscribers.Subscription(
      app: found.app, characteristic: found.characteristic, central: central.id)
    guard let updates = restored.resume(subscription) else { return false }
    preserve()
    guard !updates.isEmpty else { return true }
    // The radio accepts updates for this central once the call that reports its subscription has returned.
    Task {
      for value in updates {
        let outcome = withRadio { $0.update(found.handle, value, to: [central.id], mayReachOthers: true) }
        guard outcome == .queued else { continue }
        report(.notified([central], found.name, value: value), of: found.app)
      }
    }
    return true
  }

  /// Unsubscribes restored subscribers that are not bonded and have disconnected, while the phone was off or now.
  func removeExpiredSubscribers() {
    guard !restored.isEmpty, let connected = connectedCentrals else { return }
    for subscription in restored.removeExpired(unless: { connected.contains($0) }) {
      notify(
        subscription.app,
        .didUnsubscribe(central(RadioCentral(id: subscription.central)), from: subscription.characteristic),
        .unsubscribe)
    }
    preserve()
  }

  /// Starts the timers within which connected restored subscribers must subscribe again.
  func startStaleTimers() {
    guard let staleLimit, let connected = connectedCentrals else { return }
    for central in restored.centrals where connected.contains(central) && staleTimers[central] == nil {
      staleTimers[central] = loop.schedule(after: staleLimit) { [weak self] in
        self?.assumeIsolated { this in
          this.staleTimers[central] = nil
          guard this.restored.centrals.contains(central) else { return }
          this.withRadio { $0.disconnect(central) }
        }
      }
    }
  }

  private var connectedCentrals: Set<CentralID>? { withRadio { Set($0.connectedCentrals.map(\.id)) } }
}
