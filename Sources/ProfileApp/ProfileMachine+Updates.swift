import AppLink
import Profile

/// Subscribers, and what is sent to them.
extension ProfileMachine {
  mutating func subscribe(_ central: CentralID, to id: CharacteristicID, at now: Duration) -> [Action] {
    subscribers[id, default: []].insert(central)
    // The next value is due at the next whole interval, whenever the central came.
    guard let generator = generator(id), generator.interval > .zero, steps[id] == nil else { return [] }
    return [schedule(id, generator, step: Self.step(of: generator, at: now) + 1)]
  }

  mutating func unsubscribe(_ central: CentralID, from id: CharacteristicID) -> [Action] {
    subscribers[id]?.remove(central)
    guard !hasSubscribers(id) else { return [] }
    turnedAway.removeAll { $0 == id }
    return steps.removeValue(forKey: id) == nil ? [] : [.unschedule(.generator(id))]
  }

  /// The system need not say of each that it has unsubscribed.
  mutating func loseSubscribers() -> [Action] {
    subscribers = [:]
    turnedAway = []
    let scheduled = characteristics.map(\.id).filter { steps[$0] != nil }
    steps = [:]
    return scheduled.map { .unschedule(.generator($0)) }
  }

  func hasSubscribers(_ id: CharacteristicID) -> Bool { subscribers[id]?.isEmpty == false }

  mutating func update(_ id: CharacteristicID, _ value: [UInt8]) -> Action {
    lastUpdates[id] = value
    return .send(.updateValue(id, value: value, centrals: nil))
  }

  mutating func noteUpdate(of id: CharacteristicID, queued: Bool) {
    // Once a newer value is queued, the one that was turned away is not owed any more.
    turnedAway.removeAll { $0 == id }
    if !queued, hasSubscribers(id) { turnedAway.append(id) }
  }

  mutating func updateAgain() -> [Action] {
    let again = turnedAway
    turnedAway = []
    return again.compactMap { id in lastUpdates[id].map { update(id, $0) } }
  }

  // MARK: Generators

  func generator(_ id: CharacteristicID) -> Generator? {
    guard case .generator(let generator) = characteristic(id)?.behavior else { return nil }
    return generator
  }

  /// How many whole intervals have gone by.
  static func step(of generator: Generator, at now: Duration) -> UInt64 {
    guard generator.interval > .zero else { return 0 }
    return UInt64(clamping: now.attoseconds / generator.interval.attoseconds)
  }

  private mutating func schedule(_ id: CharacteristicID, _ generator: Generator, step: UInt64) -> Action {
    steps[id] = step
    return .schedule(.generator(id), at: Duration(attoseconds: generator.interval.attoseconds * Int128(step)))
  }

  mutating func notifyGenerator(_ id: CharacteristicID, at now: Duration) -> [Action] {
    guard let generator = generator(id), let planned = steps[id] else { return [] }
    // Where the deadline came late, the steps that were missed are left out: what is sent is what a read would get.
    let step = max(planned, Self.step(of: generator, at: now))
    return [update(id, generator.value(step: step, seed: seed(for: id))), schedule(id, generator, step: step + 1)]
  }
}
