package import AppLink
package import GATT
package import Profile

/// An app whose behavior is its profile: what it does with each message and at each deadline.
///
/// Times are durations since the app was launched; the value of a generator is a function of them.
package struct ProfileMachine: Sendable {
  package enum Event: Hashable, Sendable {
    /// Also of a new link, where the system has gone and come back.
    case launched
    case received(SystemMessage)
    /// The time of a `schedule` has come.
    case due(Deadline)
  }

  package enum Action: Hashable, Sendable {
    case send(AppMessage)
    /// Give `due` at that time, and not at any that was said before for the same deadline.
    case schedule(Deadline, at: Duration)
    case unschedule(Deadline)
  }

  let identity: AppIdentity
  let profile: Profile
  /// Each with its identifier, in the profile's order.
  let characteristics: [(id: CharacteristicID, characteristic: Profile.Characteristic)]
  private let seed: UInt64
  /// Where the app is to be at its next launch.
  package var launch: LaunchIntent?
  private let process: LaunchDescription?
  /// What came while the app was suspended, in order; nil while it runs.
  private var held: [Event]?

  /// What the system has kept and the profile still has; forgotten once it was made use of.
  var restored: Restored?
  /// The services that are asked for and not added yet; nil where the app has to ask for all of them.
  var missing: Set<ServiceID>?
  /// Whether the system has taken its advertisement, on the air or withheld.
  var isAdvertising = false
  /// What was written last, or what an echo begins with.
  var values: [CharacteristicID: [UInt8]] = [:]
  var subscribers: [CharacteristicID: Set<CentralID>] = [:]
  /// The step whose value the scheduled deadline sends.
  var steps: [CharacteristicID: UInt64] = [:]
  var lastUpdates: [CharacteristicID: [UInt8]] = [:]
  /// Updates that the system turned away, to be sent again when it is ready: the newest of each characteristic.
  var turnedAway: [CharacteristicID] = []
  /// In the order in which they are to be answered: what is due first, and of equals what came first.
  var pending: [PendingAnswer] = []

  /// - Parameters:
  ///   - name: stands in for a bundle identifier or name that the profile does not give.
  ///   - seed: of random values whose profile gives none.
  ///   - launch: where it wants to be, nil for what the system takes it for.
  ///   - process: how it can be started again.
  package init(
    profile: Profile, name: String, seed: UInt64, launch: LaunchIntent? = nil, process: LaunchDescription? = nil
  ) {
    self.profile = profile
    self.seed = seed
    self.launch = launch
    self.process = process
    identity = AppIdentity(
      bundleIdentifier: profile.bundleIdentifier ?? name, name: profile.bundleName ?? name,
      backgroundModes: profile.backgroundModes, restoreIdentifier: profile.restoreIdentifier,
      rules: AppRules(profile.rules), usesAccessorySetup: profile.usesAccessorySetup)
    characteristics = profile.services.enumerated().flatMap { place, service in
      service.characteristics.enumerated().map { index, characteristic in
        (CharacteristicID(service: ServiceID(rawValue: place), index: index), characteristic)
      }
    }
    for (id, characteristic) in characteristics {
      if case .echo(let echo) = characteristic.behavior { values[id] = echo.initialValue }
    }
  }

  /// A suspended app does nothing: what comes meanwhile is handled when it runs again, at the time of then.
  package mutating func handle(_ event: Event, at now: Duration) -> [Action] {
    if case .launched = event { held = nil }
    if case .received(.didChangeState(let state)) = event {
      switch state {
      case .suspended:
        if held == nil { held = [] }
        return []
      case .inactive, .foreground, .background: return resume(at: now)
      }
    }
    guard held == nil else {
      held?.append(event)
      return []
    }
    switch event {
    case .launched: return hello()
    case .due(.generator(let id)): return notifyGenerator(id, at: now)
    case .due(.answer(let id)): return answerPending(through: id, at: now)
    case .received(let message): return handle(message, at: now)
    }
  }

  /// What the app itself has is kept; what the system had of it is not there, unless it is restored.
  private mutating func hello() -> [Action] {
    missing = nil
    restored = nil
    isAdvertising = false
    let answers = pending.map { Action.unschedule(.answer($0.request.id)) }
    pending = []
    return loseSubscribers() + answers
      + [.send(.hello(version: appLinkVersion, app: identity, launch: launch, process: process))]
  }

  private mutating func resume(at now: Duration) -> [Action] {
    var events = held ?? []
    held = nil
    var actions: [Action] = []
    while !events.isEmpty {
      let new = handle(events.removeFirst(), at: now)
      for case .unschedule(let deadline) in new { events.removeAll { $0 == .due(deadline) } }
      actions += new
    }
    return actions
  }

  private mutating func handle(_ message: SystemMessage, at now: Duration) -> [Action] {
    switch message {
    case .welcome, .refused, .didChangeState, .willTerminate: return []
    case .didStartAdvertising(let error):
      isAdvertising = error == nil
      return []
    case .willRestoreState(let state): return restore(state, at: now)
    case .didUpdateState(let state): return follow(state)
    case .didAddService(let id, let error): return added(id, error)
    case .didSubscribe(let central, let id): return subscribe(central.id, to: id, at: now)
    case .didUnsubscribe(let central, let id): return unsubscribe(central.id, from: id)
    case .didReceiveRead(let request): return take(.read(request), at: now)
    case .didReceiveWrite(let requests):
      guard let first = requests.first else { return [] }
      return take(.write(first, Array(requests.dropFirst())), at: now)
    case .didUpdateValue(let id, let queued):
      noteUpdate(of: id, queued: queued)
      return []
    case .isReadyToUpdateSubscribers: return updateAgain()
    }
  }

  /// Whether everything is published, and advertised where the profile says so.
  package var isServing: Bool { missing?.isEmpty == true && (isAdvertising || profile.advertisement == nil) }

  func characteristic(_ id: CharacteristicID) -> Profile.Characteristic? {
    guard profile.services.indices.contains(id.service.rawValue) else { return nil }
    let list = profile.services[id.service.rawValue].characteristics
    return list.indices.contains(id.index) ? list[id.index] : nil
  }

  /// By the UUIDs of service and characteristic, of those that change by themselves: how often, and what they are at a
  /// time since the launch.
  package func generator(
    of service: BluetoothUUID, _ uuid: BluetoothUUID
  ) -> (interval: Duration, value: (Duration) -> [UInt8])? {
    for (id, characteristic) in characteristics
    where characteristic.definition.uuid == uuid
      && profile.services[id.service.rawValue].definition.uuid == service
    {
      guard let generator = generator(id) else { return nil }
      let seed = seed(for: id)
      return (generator.interval, { generator.value(step: Self.step(of: generator, at: $0), seed: seed) })
    }
    return nil
  }

  /// Two random characteristics do not go in step.
  func seed(for id: CharacteristicID) -> UInt64 {
    seed &+ UInt64(id.service.rawValue) &* 1000 &+ UInt64(id.index)
  }
}
