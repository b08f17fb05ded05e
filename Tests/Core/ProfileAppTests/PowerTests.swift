import BleperaAppLink
import BleperaBluetooth
import BleperaProfileApp
import Testing

@testable import BleperaProfile

@Suite struct PowerTests {
  private static let profile = Fixture.profile([
    [Fixture.characteristic(1, Fixture.counter()), Fixture.characteristic(2, .echo(Echo()))],
    [Fixture.characteristic(1, Fixture.counter(every: .seconds(2)))],
  ])
  private static let additions: [ProfileMachine.Action] = profile.services.enumerated().map { index, service in
    .call(.addService(ServiceID(rawValue: index), service.definition))
  }
  private static let advertising = ProfileMachine.Action.call(
    .startAdvertising(AdvertisementData(localName: "Test", serviceUUIDs: profile.services.map(\.uuid))))
  static let clearing = [ManagerState.unknown, .resetting, .unsupported, .unauthorized]

  private let counter = Fixture.id(0)
  private let echo = Fixture.id(1)
  private let slow = Fixture.id(0, inService: 1)

  /// An app that has published and advertises.
  private func published() -> Trace {
    var trace = Trace(machine: ProfileMachine(profile: Self.profile, name: "test", seed: 0))
    trace.run([(0, .poweredOn, Self.additions), (0, .didAddService(0), []), (0, .didAddService(1), [Self.advertising])])
    return trace
  }

  @Test func `services and advertising are kept when the radio is powered off`() {
    var trace = published()
    trace.run([
      (0.5, .callback(.didStartAdvertising(error: nil)), []),
      (1, .state(.poweredOff), []), (2, .poweredOn, []), (2, .didAddService(0), []), (2, .didAddService(1), []),
    ])
  }

  @Test func `calls that were ignored while Bluetooth was off are repeated`() {
    var trace = Trace(machine: ProfileMachine(profile: Self.profile, name: "test", seed: 0))
    trace.run([
      (0, .poweredOn, Self.additions), (0, .didAddService(0), []), (1, .state(.poweredOff), []),
      (2, .poweredOn, [Self.additions[1]]), (2, .didAddService(1), [Self.advertising]), (3, .state(.poweredOff), []),
      (4, .poweredOn, [Self.advertising]), (4, .callback(.didStartAdvertising(error: nil)), []),
      (4, .callback(.didStartAdvertising(error: "it is advertising already")), []),
      (5, .state(.poweredOff), []), (6, .poweredOn, []),
    ])
    #expect(trace.machine.isServing)
  }

  @Test(arguments: clearing)
  func `after a reset everything is added and advertised again with the same identifiers`(
    state: ManagerState
  ) {
    var trace = published()
    for start in [10.0, 20.0] {
      trace.run([
        (start, .state(state), []), (start, .state(.poweredOff), []), (start + 1, .poweredOn, Self.additions),
        (start + 1, .poweredOn, []), (start + 2, .didAddService(0), []),
        (start + 2, .didAddService(1), [Self.advertising]),
        (start + 2, .callback(.didStartAdvertising(error: nil)), []),
        (start + 3, .state(.poweredOff), []), (start + 4, .poweredOn, []),
      ])
    }
  }

  @Test(arguments: clearing + [.poweredOff])
  func `a reset removes subscribers and stops generators, with or without unsubscriptions`(
    state: ManagerState
  ) {
    var trace = published()
    trace.run([
      (0, .callback(.didStartAdvertising(error: nil)), []),
      (0, .didSubscribe("A", slow), [.schedule(slow, at: .seconds(2))]),
      (0, .didSubscribe("A", counter), [.schedule(counter, at: .seconds(1))]),
      (0, .didSubscribe("A", echo), []),
      (1, .write(1, echo, [1]), [.respond(1), .updateValue(echo, [1])]), (1, .didUpdateValue(echo, queued: false), []),
      (1.5, .state(state), [.unschedule(counter), .unschedule(slow)]),
      (1.6, .didUnsubscribe("A", counter), []), (1.6, .didUpdateValue(echo, queued: false), []),
      (1.6, .isReadyToUpdateSubscribers, []),
      (2, .due(counter), []),
      (3, .poweredOn, state == .poweredOff ? [] : Self.additions),
      (4, .write(2, echo, [2]), [.respond(2)]), (4, .read(3, counter), [.respond(3, [4])]),
      (5.5, .didSubscribe("A", counter), [.schedule(counter, at: .seconds(6))]),
      (6, .due(counter), [.updateValue(counter, [6]), .schedule(counter, at: .seconds(7))]),
    ])
  }

  @Test func `written values survive a reset`() {
    var trace = published()
    trace.run([
      (1, .write(1, echo, [1]), [.respond(1)]), (2, .state(.resetting), []), (3, .poweredOn, Self.additions),
      (4, .read(2, echo), [.respond(2, [1])]),
    ])
  }

  @Test func `a reply while the database is cleared is ignored`() {
    var trace = Trace(machine: ProfileMachine(profile: Self.profile, name: "test", seed: 0))
    trace.run([
      (0, .poweredOn, Self.additions), (0, .didAddService(0), []), (1, .state(.resetting), []),
      (1, .didAddService(1), []),
      (2, .poweredOn, Self.additions), (3, .didAddService(1), []), (3, .didAddService(0), [Self.advertising]),
    ])
  }

  @Test func `a service that was refused may be added after the database was cleared`() {
    var trace = Trace(machine: ProfileMachine(profile: Self.profile, name: "test", seed: 0))
    trace.run([
      (0, .poweredOn, Self.additions), (0, .didAddService(0), []), (0, .didAddService(1, error: "no room"), []),
      (1, .state(.unsupported), []), (2, .poweredOn, Self.additions),
      (3, .didAddService(0), []), (3, .didAddService(1), [Self.advertising]),
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
  func `replies to calls from before the reset are ignored`(answers: [(Int, String?)]) {
    var trace = Trace(machine: ProfileMachine(profile: Self.profile, name: "test", seed: 0))
    trace.run([(0, .poweredOn, Self.additions), (0, .state(.resetting), []), (0, .poweredOn, Self.additions)])
    var open: Set = [0, 1]
    for (service, error) in answers {
      let isLast = error == nil && open.remove(service) != nil && open.isEmpty
      trace.run([(1, .didAddService(service, error: error), isLast ? [Self.advertising] : [])])
    }
  }

  @Test func `an app without services advertises again`() {
    let profile = Profile(advertisement: AdvertisementData(localName: "Bare"))
    let start = ProfileMachine.Action.call(.startAdvertising(AdvertisementData(localName: "Bare", serviceUUIDs: [])))
    var trace = Trace(machine: ProfileMachine(profile: profile, name: "test", seed: 0))
    trace.run([
      (0, .poweredOn, [start]), (0, .callback(.didStartAdvertising(error: nil)), []),
      (1, .state(.poweredOff), []), (2, .poweredOn, []), (3, .state(.resetting), []),
      (4, .poweredOn, [start]),
    ])
  }

  @Test func `a reset during a suspension is handled when the app runs again`() {
    var trace = published()
    trace.run([
      (0, .didSubscribe("A", counter), [.schedule(counter, at: .seconds(1))]),
      (0.5, .didChangeState(.suspended), []), (0.6, .state(.resetting), []), (0.7, .poweredOn, []),
      (1, .due(counter), []),
      (3, .didChangeState(.background), [.unschedule(counter)] + Self.additions),
      (3, .didAddService(0), []), (3, .didAddService(1), [Self.advertising]),
    ])
  }
}
