package import AppLink
import GATT
package import Profile

/// An app whose behavior is its profile: what it does with each message and at each deadline.
///
/// Times are durations since the app was launched; the value of a generator is a function of them.
package struct ProfileMachine: Sendable {
  package enum Event: Hashable, Sendable {
    case launched
    case received(SystemMessage)
    /// The deadline of a `schedule` has come.
    case due(CharacteristicID)
  }

  package enum Action: Hashable, Sendable {
    case send(AppMessage)
    /// Give `due` at that time; there is one deadline a characteristic.
    case schedule(CharacteristicID, at: Duration)
    case unschedule(CharacteristicID)
  }

  private let identity: AppIdentity
  private let profile: Profile
  private let seed: UInt64
  /// What was written last, or what an echo begins with.
  private var values: [CharacteristicID: [UInt8]] = [:]
  private var subscribers: [CharacteristicID: Set<CentralID>] = [:]
  /// The step whose value the scheduled deadline sends.
  private var steps: [CharacteristicID: UInt64] = [:]
  private var lastUpdates: [CharacteristicID: [UInt8]] = [:]
  /// Updates that the system turned away, to be sent again when it is ready: the newest of each characteristic.
  private var turnedAway: [CharacteristicID] = []
  private var hasAddedServices = false
  private var unanswered: Set<ServiceID> = []
  private var hasFailed = false

  /// - Parameters:
  ///   - name: stands in for a bundle identifier or name that the profile does not give.
  ///   - seed: of random values whose profile gives none.
  package init(profile: Profile, name: String, seed: UInt64) {
    self.profile = profile
    self.seed = seed
    identity = AppIdentity(
      bundleIdentifier: profile.bundleIdentifier ?? name, name: profile.bundleName ?? name,
      backgroundModes: profile.backgroundModes, restoreIdentifier: profile.restoreIdentifier)
    for (id, characteristic) in characteristics {
      if case .echo(let echo) = characteristic.behavior { values[id] = echo.initialValue }
    }
  }

  package mutating func handle(_ event: Event, at now: Duration) -> [Action] {
    switch event {
    case .launched: return [.send(.hello(version: appLinkVersion, app: identity))]
    case .due(let id): return notifyGenerator(id, at: now)
    case .received(let message): return handle(message, at: now)
    }
  }

  private mutating func handle(_ message: SystemMessage, at now: Duration) -> [Action] {
    switch message {
    case .welcome: return []
    case .didUpdateState(let state): return state == .poweredOn ? addServices() : []
    case .didAddService(let id, let error): return added(id, error)
    case .didStartAdvertising: return []
    case .didSubscribe(let central, let id):
      subscribers[id, default: []].insert(central.id)
      return scheduleGenerator(id, at: now)
    case .didUnsubscribe(let central, let id):
      subscribers[id]?.remove(central.id)
      guard !hasSubscribers(id) else { return [] }
      turnedAway.removeAll { $0 == id }
      return steps.removeValue(forKey: id) == nil ? [] : [.unschedule(id)]
    case .didReceiveRead(let request): return [read(request, at: now)]
    case .didReceiveWrite(let requests): return write(requests)
    case .didUpdateValue(let id, let queued):
      // Once a newer value is queued, the one that was turned away is not owed any more.
      turnedAway.removeAll { $0 == id }
      if !queued, hasSubscribers(id) { turnedAway.append(id) }
      return []
    case .isReadyToUpdateSubscribers:
      let again = turnedAway
      turnedAway = []
      return again.compactMap { id in lastUpdates[id].map { update(id, $0) } }
    }
  }

  // MARK: Publishing

  private mutating func addServices() -> [Action] {
    guard !hasAddedServices else { return [] }
    hasAddedServices = true
    unanswered = Set(profile.services.indices.map { ServiceID(rawValue: $0) })
    guard !profile.services.isEmpty else { return startAdvertising() }
    return profile.services.enumerated().map { index, service in
      .send(.addService(ServiceID(rawValue: index), service.definition))
    }
  }

  private mutating func added(_ id: ServiceID, _ error: String?) -> [Action] {
    guard unanswered.remove(id) != nil else { return [] }
    if error != nil { hasFailed = true }
    guard unanswered.isEmpty, !hasFailed else { return [] }
    return startAdvertising()
  }

  private func startAdvertising() -> [Action] {
    guard let advertisement = profile.advertisement else { return [] }
    return [
      .send(
        .startAdvertising(
          AdvertisementRequest(localName: advertisement.localName, serviceUUIDs: advertisement.serviceUUIDs)))
    ]
  }

  // MARK: Values

  private var characteristics: [(CharacteristicID, Profile.Characteristic)] {
    profile.services.enumerated().flatMap { place, service in
      service.characteristics.enumerated().map { index, characteristic in
        (CharacteristicID(service: ServiceID(rawValue: place), index: index), characteristic)
      }
    }
  }

  private func characteristic(_ id: CharacteristicID) -> Profile.Characteristic? {
    guard profile.services.indices.contains(id.service.rawValue) else { return nil }
    let list = profile.services[id.service.rawValue].characteristics
    return list.indices.contains(id.index) ? list[id.index] : nil
  }

  private func generator(_ id: CharacteristicID) -> Generator? {
    guard case .generator(let generator) = characteristic(id)?.behavior else { return nil }
    return generator
  }

  private func value(of id: CharacteristicID, at now: Duration) -> [UInt8] {
    guard let generator = generator(id) else { return values[id] ?? [] }
    return generator.value(step: Self.step(of: generator, at: now), seed: seed(for: id))
  }

  /// Two random characteristics do not go in step.
  private func seed(for id: CharacteristicID) -> UInt64 {
    seed &+ UInt64(id.service.rawValue) &* 1000 &+ UInt64(id.index)
  }

  /// How many whole intervals have gone by.
  private static func step(of generator: Generator, at now: Duration) -> UInt64 {
    guard generator.interval > .zero else { return 0 }
    return UInt64(clamping: now.attoseconds / generator.interval.attoseconds)
  }

  private func read(_ request: ReadRequest, at now: Duration) -> Action {
    do throws(ATTError) {
      guard characteristic(request.characteristic) != nil else { throw .attributeNotFound }
      let value = try AttributeValue.slice(value(of: request.characteristic, at: now), from: request.offset)
      return .send(.respond(request.id, error: nil, value: value))
    } catch {
      return .send(.respond(request.id, error: error, value: []))
    }
  }

  /// All of them or none, as Core Bluetooth asks of an app.
  private mutating func write(_ requests: [WriteRequest]) -> [Action] {
    guard let first = requests.first else { return [] }
    var new = values
    do throws(ATTError) {
      for request in requests {
        let id = request.characteristic
        guard characteristic(id) != nil else { throw .attributeNotFound }
        new[id] = try AttributeValue.writing(request.value, at: request.offset, to: new[id] ?? [])
      }
    } catch {
      return [.send(.respond(first.id, error: error, value: []))]
    }
    values = new
    var written: [CharacteristicID] = []
    for request in requests where !written.contains(request.characteristic) { written.append(request.characteristic) }
    return [.send(.respond(first.id, error: nil, value: []))] + written.flatMap { echo($0) }
  }

  /// Passes what was written to the characteristics that repeat it.
  private mutating func echo(_ source: CharacteristicID) -> [Action] {
    guard let written = characteristic(source), let value = values[source] else { return [] }
    var actions: [Action] = []
    for (id, target) in characteristics where id.service == source.service {
      guard case .echo(let echo) = target.behavior else { continue }
      guard echo.source.map({ $0 == written.definition.uuid }) ?? (id == source) else { continue }
      values[id] = value
      if hasSubscribers(id) { actions.append(update(id, value)) }
    }
    return actions
  }

  // MARK: Updates

  private func hasSubscribers(_ id: CharacteristicID) -> Bool { subscribers[id]?.isEmpty == false }

  private mutating func update(_ id: CharacteristicID, _ value: [UInt8]) -> Action {
    lastUpdates[id] = value
    return .send(.updateValue(id, value: value, centrals: nil))
  }

  /// The next value is due at the next whole interval, whenever the central came.
  private mutating func scheduleGenerator(_ id: CharacteristicID, at now: Duration) -> [Action] {
    guard let generator = generator(id), generator.interval > .zero, steps[id] == nil else { return [] }
    return [schedule(id, generator, step: Self.step(of: generator, at: now) + 1)]
  }

  private mutating func schedule(_ id: CharacteristicID, _ generator: Generator, step: UInt64) -> Action {
    steps[id] = step
    return .schedule(id, at: Duration(attoseconds: generator.interval.attoseconds * Int128(step)))
  }

  private mutating func notifyGenerator(_ id: CharacteristicID, at now: Duration) -> [Action] {
    guard let generator = generator(id), let planned = steps[id] else { return [] }
    // Where the deadline came late, the steps that were missed are left out: what is sent is what a read would get.
    let step = max(planned, Self.step(of: generator, at: now))
    return [update(id, generator.value(step: step, seed: seed(for: id))), schedule(id, generator, step: step + 1)]
  }
}
