import BleperaAppLink
import BleperaBluetooth
import BleperaProfile
import BleperaProfileApp
import Testing

@Suite struct PowerTests {
  private static let profile = Fixture.profile([
    [Fixture.characteristic(1, Fixture.counter()), Fixture.characteristic(2, .echo(Echo()))],
    [Fixture.characteristic(1, Fixture.counter(every: .seconds(2)))],
  ])
  private static let additions: [ProfileMachine.Action] = profile.services.enumerated().map { index, service in
    .send(.addService(ServiceID(rawValue: index), service.definition))
  }
  private static let advertising = ProfileMachine.Action.send(
    .startAdvertising(AdvertisementData(localName: "Test", serviceUUIDs: profile.services.map(\.uuid))))
  static let clearing = [ManagerState.unknown, .resetting, .unsupported, .unauthorized]

  private let counter = Fixture.id(0)
  private let echo = Fixture.id(1)
  private let slow = Fixture.id(0, inService: 1)

  /// An app that has published and advertises.
  private func published() -> Trace {
    var trace = Trace(machine: ProfileMachine(profile: Self.profile, name: "test", seed: 0))
    trace.run([(0, .poweredOn, Self.additions), (0, .added(0), []), (0, .added(1), [Self.advertising])])
    return trace
  }

  @Test func `what is published and advertised stays when the radio is powered off`() {
    var trace = published()
    trace.run([
      (0.5, .received(.didStartAdvertising(error: nil)), []),
      (1, .state(.poweredOff), []), (2, .poweredOn, []), (2, .added(0), []), (2, .added(1), []),
    ])
  }

  @Test func `what was ignored because Bluetooth was switched off is asked for again`() {
    var trace = Trace(machine: ProfileMachine(profile: Self.profile, name: "test", seed: 0))
    trace.run([
      (0, .poweredOn, Self.additions), (0, .added(0), []), (1, .state(.poweredOff), []),
      (2, .poweredOn, [Self.additions[1]]), (2, .added(1), [Self.advertising]), (3, .state(.poweredOff), []),
      (4, .poweredOn, [Self.advertising]), (4, .received(.didStartAdvertising(error: nil)), []),
      (4, .received(.didStartAdvertising(error: "it is advertising already")), []),
      (5, .state(.poweredOff), []), (6, .poweredOn, []),
    ])
    #expect(trace.machine.isServing)
  }

  @Test(arguments: clearing)
  func `below powered off everything is to be added and advertised again, under the same identifiers`(
    state: ManagerState
  ) {
    var trace = published()
    for start in [10.0, 20.0] {
      trace.run([
        (start, .state(state), []), (start, .state(.poweredOff), []), (start + 1, .poweredOn, Self.additions),
        (start + 1, .poweredOn, []), (start + 2, .added(0), []), (start + 2, .added(1), [Self.advertising]),
        (start + 2, .received(.didStartAdvertising(error: nil)), []),
        (start + 3, .state(.poweredOff), []), (start + 4, .poweredOn, []),
      ])
    }
  }

  @Test(arguments: clearing + [.poweredOff])
  func `subscribers are gone and generators stop, whether or not the system says that they unsubscribed`(
    state: ManagerState
  ) {
    var trace = published()
    trace.run([
      (0, .received(.didStartAdvertising(error: nil)), []),
      (0, .subscribed("A", slow), [.schedule(slow, at: .seconds(2))]),
      (0, .subscribed("A", counter), [.schedule(counter, at: .seconds(1))]),
      (0, .subscribed("A", echo), []),
      (1, .write(1, echo, [1]), [.answer(1), .update(echo, [1])]), (1, .queued(echo, false), []),
      (1.5, .state(state), [.unschedule(counter), .unschedule(slow)]),
      (1.6, .unsubscribed("A", counter), []), (1.6, .queued(echo, false), []), (1.6, .isReady, []),
      (2, .due(counter), []),
      (3, .poweredOn, state == .poweredOff ? [] : Self.additions),
      (4, .write(2, echo, [2]), [.answer(2)]), (4, .read(3, counter), [.answer(3, [4])]),
      (5.5, .subscribed("A", counter), [.schedule(counter, at: .seconds(6))]),
      (6, .due(counter), [.update(counter, [6]), .schedule(counter, at: .seconds(7))]),
    ])
  }

  @Test func `what was written outlasts the database`() {
    var trace = published()
    trace.run([
      (1, .write(1, echo, [1]), [.answer(1)]), (2, .state(.resetting), []), (3, .poweredOn, Self.additions),
      (4, .read(2, echo), [.answer(2, [1])]),
    ])
  }

  @Test func `an answer while the database is cleared counts for nothing`() {
    var trace = Trace(machine: ProfileMachine(profile: Self.profile, name: "test", seed: 0))
    trace.run([
      (0, .poweredOn, Self.additions), (0, .added(0), []), (1, .state(.resetting), []), (1, .added(1), []),
      (2, .poweredOn, Self.additions), (3, .added(1), []), (3, .added(0), [Self.advertising]),
    ])
  }

  @Test func `a service that was refused may be added after the database was cleared`() {
    var trace = Trace(machine: ProfileMachine(profile: Self.profile, name: "test", seed: 0))
    trace.run([
      (0, .poweredOn, Self.additions), (0, .added(0), []), (0, .added(1, error: "no room"), []),
      (1, .state(.unsupported), []), (2, .poweredOn, Self.additions),
      (3, .added(0), []), (3, .added(1), [Self.advertising]),
    ])
  }

  /// Calls of the first round that cross the clearing on their way: the system takes them for the first of the new
  /// round, and refuses the new ones as repeated.
  @Test(
    arguments: [
      [(0, nil), (1, nil), (0, "repeated"), (1, "repeated")],
      [(0, "repeated"), (1, "repeated"), (0, nil), (1, nil)],
      [(1, "repeated"), (0, nil), (0, "repeated"), (1, nil), (1, nil)],
    ] as [[(Int, String?)]])
  func `answers to calls of the old round do not confuse the new one`(answers: [(Int, String?)]) {
    var trace = Trace(machine: ProfileMachine(profile: Self.profile, name: "test", seed: 0))
    trace.run([(0, .poweredOn, Self.additions), (0, .state(.resetting), []), (0, .poweredOn, Self.additions)])
    var open: Set = [0, 1]
    for (service, error) in answers {
      let isLast = error == nil && open.remove(service) != nil && open.isEmpty
      trace.run([(1, .added(service, error: error), isLast ? [Self.advertising] : [])])
    }
  }

  @Test func `an app without services advertises again`() {
    let profile = Profile(advertisement: AdvertisementData(localName: "Bare"))
    let start = ProfileMachine.Action.send(
      .startAdvertising(AdvertisementData(localName: "Bare", serviceUUIDs: [])))
    var trace = Trace(machine: ProfileMachine(profile: profile, name: "test", seed: 0))
    trace.run([
      (0, .poweredOn, [start]), (0, .received(.didStartAdvertising(error: nil)), []),
      (1, .state(.poweredOff), []), (2, .poweredOn, []), (3, .state(.resetting), []),
      (4, .poweredOn, [start]),
    ])
  }

  @Test func `a radio that was reset while the app was suspended is heard of when it runs`() {
    var trace = published()
    trace.run([
      (0, .subscribed("A", counter), [.schedule(counter, at: .seconds(1))]),
      (0.5, .changed(.suspended), []), (0.6, .state(.resetting), []), (0.7, .poweredOn, []), (1, .due(counter), []),
      (3, .changed(.background), [.unschedule(counter)] + Self.additions),
      (3, .added(0), []), (3, .added(1), [Self.advertising]),
    ])
  }
}
