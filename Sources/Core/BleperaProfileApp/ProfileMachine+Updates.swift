import BleperaAppLink
package import BleperaBluetooth
import BleperaProfile

/// Updates subscribers.
extension ProfileMachine {
  mutating func subscribe(_ central: CentralID, to id: CharacteristicID, at now: Duration) -> [Action] {
    subscribers[id, default: []].insert(central)
    // The next value is due at the next whole interval, whenever the central subscribes.
    guard let generator = generator(id), generator.interval > .zero, steps[id] == nil else { return [] }
    guard generator.start == .launch else {
      origins[id] = now + generator.interval
      delays[id] = nil
      return [schedule(id, generator, step: 0)]
    }
    return [schedule(id, generator, step: step(of: id, generator, at: now) + 1)]
  }

  mutating func unsubscribe(_ central: CentralID, from id: CharacteristicID) -> [Action] {
    subscribers[id]?.remove(central)
    guard !hasSubscribers(id) else { return [] }
    updates.forget(id)
    origins[id] = nil
    return steps.removeValue(forKey: id) == nil ? [] : [.unschedule(.generator(id))]
  }

  /// Removes all subscribers, whose unsubscriptions the phone need not report.
  mutating func loseSubscribers() -> [Action] {
    subscribers = [:]
    updates.forgetAll()
    let scheduled = characteristics.map(\.id).filter { steps[$0] != nil }
    steps = [:]
    origins = [:]
    return scheduled.map { .unschedule(.generator($0)) }
  }

  func hasSubscribers(_ id: CharacteristicID) -> Bool { subscribers[id]?.isEmpty == false }

  /// Changes a value that no generator makes, as the app's own code does.
  package mutating func set(_ id: CharacteristicID, to value: [UInt8]) -> [Action] {
    values[id] = value
    return hasSubscribers(id) ? update(id, value) : []
  }

  /// Updates the subscribers, at once or after the updates before it.
  mutating func update(_ id: CharacteristicID, _ value: [UInt8]) -> [Action] {
    updates.add(id, value).map { [send($0)] } ?? []
  }

  func send(_ update: UpdateBacklog.Update) -> Action {
    call(.updateValue(update.characteristic, value: update.value, centrals: nil))
  }

  // MARK: Generators

  func generator(_ id: CharacteristicID) -> Generator? {
    guard has(id),
      case .generator(let generator) = profile.services[id.service.rawValue].characteristics[id.index].behavior
    else { return nil }
    return generator
  }

  /// The time of the first value; `now` for a generator that starts with a subscription and has not started.
  private func origin(_ id: CharacteristicID, _ generator: Generator, at now: Duration) -> Duration {
    generator.start == .launch ? .zero : origins[id] ?? now
  }

  /// The number of whole intervals since the first value.
  static func step(of generator: Generator, at now: Duration) -> UInt64 {
    guard generator.interval > .zero, now > .zero else { return 0 }
    return UInt64(clamping: now.attoseconds / generator.interval.attoseconds)
  }

  private mutating func schedule(_ id: CharacteristicID, _ generator: Generator, step: UInt64) -> Action {
    steps[id] = step
    let intervals = Int128(step) + Int128(delays[id] ?? 0)
    let origin = origins[id] ?? .zero
    return .schedule(.generator(id), at: origin + Duration(attoseconds: generator.interval.attoseconds * intervals))
  }

  /// The step whose value a read returns: never ahead of the notifications.
  func step(of id: CharacteristicID, _ generator: Generator, at now: Duration) -> UInt64 {
    let elapsed = Self.step(of: generator, at: now - origin(id, generator, at: now))
    guard !generator.shape.isSampled else { return elapsed }
    let step = elapsed - min(elapsed, delays[id] ?? 0)
    return steps[id].map { min(step, $0) } ?? step
  }

  /// Sends the next value. As with a timer of an app on iOS, a notification that comes late, because the app was
  /// suspended or the machine was busy, delays those after it and leaves none out.
  mutating func notifyGenerator(_ id: CharacteristicID, at now: Duration) -> [Action] {
    guard let generator = generator(id), let planned = steps[id] else { return [] }
    let elapsed = Self.step(of: generator, at: now - origin(id, generator, at: now))
    guard !generator.shape.isSampled else {
      let step = max(planned, elapsed)
      // A new sample replaces one that is still to be sent.
      updates.forget(id)
      return update(id, generator.value(step: step, seed: seed(for: id))) + [schedule(id, generator, step: step + 1)]
    }
    delays[id] = max(delays[id] ?? 0, elapsed - min(elapsed, planned))
    guard !updates.contains(id) else {
      // The value before is still to be sent.
      delays[id, default: 0] += 1
      return [schedule(id, generator, step: planned)]
    }
    return update(id, generator.value(step: planned, seed: seed(for: id)))
      + [schedule(id, generator, step: planned + 1)]
  }
}
