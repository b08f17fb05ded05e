package import BleperaAppLink
package import BleperaBluetooth
package import BleperaProfile

/// The state machine of a profile's app: its actions for each message and each deadline.
///
/// Times are durations since the launch of the app.
package struct ProfileMachine: Sendable {
  package enum Event: Hashable, Sendable {
    /// The app was launched, or has a new link after the phone was lost.
    case launched
    case received(PhoneMessage)
    /// The time of a `schedule` has passed.
    case due(Deadline)
  }

  package enum Action: Hashable, Sendable {
    case send(AppMessage)
    /// Send `due` at that time, which replaces an earlier time of the same deadline.
    case schedule(Deadline, at: Duration)
    case unschedule(Deadline)
  }

  let identity: AppIdentity
  /// The peripheral manager of the app; nil for an app that is a central alone.
  package let manager: ManagerID.Name?
  let profile: Profile
  /// In the profile's order.
  let characteristics: [(id: CharacteristicID, characteristic: Profile.Characteristic)]
  private let seed: UInt64
  /// The mode of the next launch.
  package var launch: LaunchMode?
  private let process: LaunchDescription?
  /// The events received while the app was suspended, in order; nil while it runs.
  private var held: [Event]?

  /// The preserved state that matches the profile, until it is used.
  var restored: Restored?
  /// The services whose addition is pending; nil where the app has to add all of them.
  var missing: Set<ServiceID>?
  /// The numbers of the profile's channels, as far as the phone has answered; nil where the app has to publish them.
  var psms: [L2CAPPSM?]?
  /// Whether the phone has accepted the advertisement, on the air or not.
  var isAdvertising = false
  /// Whether Bluetooth was switched off since it was on: calls that arrived meanwhile were ignored.
  var wasSwitchedOff = false
  /// The values last written or updated, or the initial ones.
  package internal(set) var values: [CharacteristicID: [UInt8]] = [:]
  package internal(set) var subscribers: [CharacteristicID: Set<CentralID>] = [:]
  /// The step whose value the next deadline sends.
  var steps: [CharacteristicID: UInt64] = [:]
  /// The whole intervals by which notifications of a generator are late.
  var delays: [CharacteristicID: UInt64] = [:]
  /// The times of the first values of generators that start with a subscription.
  var origins: [CharacteristicID: Duration] = [:]
  /// The states of services that have some.
  var states: [ServiceID: String] = [:]
  var runs = ResponseRuns<CharacteristicID>()
  var updates = UpdateBacklog()
  /// The central role; nil for an app without one.
  var central: CentralMachine?
  /// Sorted by due time, then by arrival.
  var pending: [DelayedRequest] = []

  /// - Parameters:
  ///   - name: replaces a bundle identifier or name that the profile does not have.
  ///   - seed: for random values without a seed in the profile.
  ///   - launch: how the app is launched; nil leaves that to the phone.
  ///   - process: how the process can be started again.
  package init(
    profile: Profile, name: String, seed: UInt64, launch: LaunchMode? = nil, process: LaunchDescription? = nil
  ) {
    self.profile = profile
    self.seed = seed
    self.launch = launch
    self.process = process
    identity = AppIdentity(
      bundleIdentifier: profile.bundleIdentifier ?? name, name: profile.bundleName ?? name,
      backgroundModes: profile.backgroundModes, rules: profile.rules, usesAccessorySetup: profile.usesAccessorySetup)
    manager = profile.isPeripheral ? ManagerID.Name(profile.restoreIdentifier) : nil
    characteristics = profile.services.enumerated().flatMap { place, service in
      service.characteristics.enumerated().map { index, characteristic in
        (CharacteristicID(service: ServiceID(rawValue: place), index: index), characteristic)
      }
    }
    central = profile.central.map { CentralMachine($0) }
    for (id, characteristic) in characteristics {
      switch characteristic.behavior {
      case .echo(let echo): values[id] = echo.initialValue
      case .responses(let responses): values[id] = responses.initialValue
      case .generator: break
      case nil: values[id] = characteristic.initialValue
      }
    }
    for (place, service) in profile.services.enumerated() { states[ServiceID(rawValue: place)] = service.states.first }
  }

  /// Holds events while the app is suspended and handles them when it resumes, at that time.
  package mutating func handle(_ event: Event, at now: Duration) -> [Action] {
    if case .launched = event { held = nil }
    if case .received(.didChangeState(let state)) = event {
      switch state {
      case .suspended:
        if held == nil { held = [] }
        return []
      case .notRunning, .inactive, .foreground, .background: return resume(at: now)
      }
    }
    guard held == nil else {
      held?.append(event)
      return []
    }
    switch event {
    case .launched: return hello()
    case .due(.generator(let id)): return notifyGenerator(id, at: now)
    case .due(.response(let id)): return respondPending(through: id, at: now)
    case .due(.steps): return performSteps(at: now)
    case .due(.writes): return central?.writeDue(at: now) ?? []
    case .received(let message): return handle(message, at: now)
    }
  }

  /// Keeps the app's own values and resets the state of the phone, which may be restored.
  private mutating func hello() -> [Action] {
    missing = nil
    restored = nil
    isAdvertising = false
    psms = nil
    updates = UpdateBacklog()
    let responses = pending.map { Action.unschedule(.response($0.request.id)) }
    pending = []
    // The timers ended with the link, but what they were for is the app's own.
    return loseSubscribers() + responses + runs.schedule(.steps, from: nil)
      + [.send(.hello(version: appLinkVersion, app: identity, launch: launch, process: process))]
      + (manager.map { [.send(.create(ManagerID(.peripheral, $0)))] } ?? []) + (central?.launch() ?? [])
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

  private mutating func handle(_ message: PhoneMessage, at now: Duration) -> [Action] {
    switch message {
    case .welcome, .refused, .didChangeState, .willTerminate: []
    case .peripheral(let name, let callback): name == manager ? handle(callback, at: now) : []
    case .central(let name, let callback): name == central?.manager ? central?.handle(callback, at: now) ?? [] : []
    }
  }

  private mutating func handle(_ callback: PeripheralManagerCallback, at now: Duration) -> [Action] {
    switch callback {
    case .didUnpublishL2CAPChannel, .didOpenL2CAPChannel: return []
    case .didPublishL2CAPChannel(let psm, _): return published(psm)
    case .didStartAdvertising(let error, _):
      // Switching Bluetooth off and on can cause a second call, which is refused.
      if error == nil { isAdvertising = true }
      return []
    case .willRestoreState(let state): return restore(state, at: now)
    case .didUpdateState(let state): return follow(state)
    case .didAddService(let id, let error): return added(id, error)
    case .didSubscribe(let central, let id): return subscribe(central.id, to: id, at: now)
    case .didUnsubscribe(let central, let id): return unsubscribe(central.id, from: id)
    case .didReceiveRead(let request): return receive(.read(request), at: now)
    case .didReceiveWrite(let requests):
      guard let first = requests.first else { return [] }
      return receive(.write(first, Array(requests.dropFirst())), at: now)
    case .didUpdateValue(let id, let queued, let error):
      let isOwed = error == nil && hasSubscribers(id)
      return updates.answered(id, isQueued: queued, isOwed: isOwed).map { [send($0)] } ?? []
    case .isReadyToUpdateSubscribers: return updates.ready().map { [send($0)] } ?? []
    }
  }

  /// A call of its peripheral manager.
  func call(_ call: PeripheralManagerCall) -> Action { .send(.peripheral(manager ?? .number(0), call)) }

  /// Whether everything is published and, where the profile has an advertisement, advertised; and whether a central
  /// manager knows its state, which is on for an app that is a central alone.
  package var isServing: Bool {
    guard manager != nil else { return central?.state == .poweredOn }
    return missing?.isEmpty == true && (isAdvertising || profile.advertisement == nil)
      && (profile.central == nil || central?.state != nil)
  }

  /// Whether the radio lacks the only role of the app.
  var isUnsupported: Bool { central?.state == .unsupported && manager == nil }

  func has(_ id: CharacteristicID) -> Bool {
    profile.services.indices.contains(id.service.rawValue)
      && profile.services[id.service.rawValue].characteristics.indices.contains(id.index)
  }

  func characteristic(_ id: CharacteristicID) -> Profile.Characteristic? {
    has(id) ? profile.services[id.service.rawValue].characteristics[id.index] : nil
  }

  /// Different for each characteristic, so that random values are independent.
  func seed(for id: CharacteristicID) -> UInt64 {
    seed &+ UInt64(id.service.rawValue) &* 1000 &+ UInt64(id.index)
  }
}

extension ProfileMachine {
  /// A timer of the app.
  package enum Deadline: Hashable, Sendable {
    /// The next value of a generator.
    case generator(CharacteristicID)
    /// The delayed response to a request.
    case response(RequestID)
    /// The next step of a table of responses.
    case steps
    /// The next write of the central role.
    case writes
  }
}
