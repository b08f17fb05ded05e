import BleperaAppLink
import BleperaBluetooth
import BleperaProfile
import BleperaProfileApp
import Testing

@Suite struct SuspensionTests {
  private let id = Fixture.id(0)

  private func counter() -> Trace { Trace(machine: Fixture.machine(Fixture.characteristic(1, Fixture.counter()))) }

  @Test(arguments: [AppState.inactive, .foreground, .background])
  func `a suspended app sends nothing until it runs again`(state: AppState) {
    var trace = counter()
    trace.run([
      (0, .subscribed("A", id), [.schedule(id, at: .seconds(1))]),
      (0.5, .changed(.suspended), []),
      (1, .due(id), []),
      (1.5, .changed(.suspended), []),
      (7.4, .changed(state), [.update(id, [1]), .schedule(id, at: .seconds(8))]),
      (8, .due(id), [.update(id, [2]), .schedule(id, at: .seconds(9))]),
    ])
  }

  @Test(arguments: [AppState.inactive, .foreground, .background])
  func `an app runs in every state but suspended`(state: AppState) {
    var trace = counter()
    trace.run([
      (0, .changed(state), []), (3, .read(1, id), [.answer(1, [3])]),
      (4, .changed(.suspended), []), (5, .changed(state), []), (5, .changed(state), []),
    ])
  }

  @Test func `a deadline that does not pass while the app is suspended comes at its time`() {
    var trace = counter()
    trace.run([
      (0, .subscribed("A", id), [.schedule(id, at: .seconds(1))]),
      (0.2, .changed(.suspended), []), (0.8, .changed(.background), []),
      (1, .due(id), [.update(id, [1]), .schedule(id, at: .seconds(2))]),
    ])
  }

  @Test func `what comes while the app is suspended is handled in order, at the time when it runs again`() {
    let echo = Fixture.id(1)
    var trace = Trace(
      machine: Fixture.machine(
        Fixture.characteristic(1, Fixture.counter()), Fixture.characteristic(2, .echo(Echo()))))
    trace.run([
      (0, .changed(.suspended), []),
      (1, .subscribed("A", echo), []), (2, .write(1, echo, [7]), []), (3, .read(2, echo), []),
      (4, .read(3, id), []), (5, .subscribed("A", id), []),
      (
        6.5, .changed(.background),
        [
          .answer(1), .update(echo, [7]), .answer(2, [7]), .answer(3, [6]), .schedule(id, at: .seconds(7)),
        ]
      ),
      (6.6, .changed(.suspended), []), (6.7, .changed(.background), []),
    ])
  }

  @Test func `an app that is powered on while it is suspended publishes when it runs`() {
    let profile = Fixture.profile([[Fixture.characteristic()]])
    var trace = Trace(machine: ProfileMachine(profile: profile, name: "test", seed: 0))
    trace.run([
      (0, .changed(.suspended), []), (1, .poweredOn, []),
      (
        2, .changed(.foreground),
        [.send(.addService(ServiceID(rawValue: 0), profile.services[0].definition))]
      ),
    ])
  }

  @Test func `a deadline that passed is forgotten with the subscriber that left before it`() {
    var trace = counter()
    trace.run([
      (0, .subscribed("A", id), [.schedule(id, at: .seconds(1))]),
      (0.1, .changed(.suspended), []),
      (0.2, .unsubscribed("A", id), []), (0.3, .subscribed("B", id), []), (1, .due(id), []),
      (4.5, .changed(.background), [.unschedule(id), .schedule(id, at: .seconds(5))]),
      (5, .due(id), [.update(id, [5]), .schedule(id, at: .seconds(6))]),
    ])
  }

  @Test func `of several generators each sends its next value, once`() {
    let slow = Fixture.id(1)
    var trace = Trace(
      machine: Fixture.machine(
        Fixture.characteristic(1, Fixture.counter()), Fixture.characteristic(2, Fixture.counter(every: .seconds(3)))))
    trace.run([
      (0, .subscribed("A", slow), [.schedule(slow, at: .seconds(3))]),
      (0, .subscribed("A", id), [.schedule(id, at: .seconds(1))]),
      (0, .changed(.suspended), []), (1, .due(id), []), (3, .due(slow), []),
      (
        10, .changed(.background),
        [
          .update(id, [1]), .schedule(id, at: .seconds(11)), .schedule(slow, at: .seconds(12)), .update(slow, [1]),
        ]
      ),
    ])
  }
}
