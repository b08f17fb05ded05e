import BleperaAppLink
import BleperaBluetooth
import BleperaProfileApp
import Testing

@testable import BleperaProfile

@Suite struct SuspensionTests {
  private let id = Fixture.id(0)

  private func counter() -> Trace { Trace(machine: Fixture.machine(Fixture.characteristic(1, Fixture.counter()))) }

  @Test(arguments: [AppState.inactive, .foreground, .background])
  func `a suspended app sends nothing until it runs again`(state: AppState) {
    var trace = counter()
    trace.run([
      (0, .didSubscribe("A", id), [.schedule(id, at: .seconds(1))]),
      (0.5, .didChangeState(.suspended), []),
      (1, .due(id), []),
      (1.5, .didChangeState(.suspended), []),
      (7.4, .didChangeState(state), [.updateValue(id, [1]), .schedule(id, at: .seconds(8))]),
      (8, .due(id), [.updateValue(id, [2]), .schedule(id, at: .seconds(9))]),
    ])
  }

  @Test(arguments: [AppState.inactive, .foreground, .background])
  func `an app runs in every state but suspended`(state: AppState) {
    var trace = counter()
    trace.run([
      (0, .didChangeState(state), []), (3, .read(1, id), [.respond(1, [3])]),
      (4, .didChangeState(.suspended), []), (5, .didChangeState(state), []), (5, .didChangeState(state), []),
    ])
  }

  @Test func `a deadline after the suspension is on time`() {
    var trace = counter()
    trace.run([
      (0, .didSubscribe("A", id), [.schedule(id, at: .seconds(1))]),
      (0.2, .didChangeState(.suspended), []), (0.8, .didChangeState(.background), []),
      (1, .due(id), [.updateValue(id, [1]), .schedule(id, at: .seconds(2))]),
    ])
  }

  @Test func `messages during a suspension are handled in order when the app runs again`() {
    let echo = Fixture.id(1)
    var trace = Trace(
      machine: Fixture.machine(
        Fixture.characteristic(1, Fixture.counter()), Fixture.characteristic(2, .echo(Echo()))))
    trace.run([
      (0, .didChangeState(.suspended), []),
      (1, .didSubscribe("A", echo), []), (2, .write(1, echo, [7]), []), (3, .read(2, echo), []),
      (4, .read(3, id), []), (5, .didSubscribe("A", id), []),
      (
        6.5, .didChangeState(.background),
        [
          .respond(1), .updateValue(echo, [7]), .respond(2, [7]), .respond(3, [6]), .schedule(id, at: .seconds(7)),
        ]
      ),
      (6.6, .didChangeState(.suspended), []), (6.7, .didChangeState(.background), []),
    ])
  }

  @Test func `an app that is powered on while it is suspended publishes when it runs`() {
    let profile = Fixture.profile([[Fixture.characteristic()]])
    var trace = Trace(machine: ProfileMachine(profile: profile, name: "test", seed: 0))
    trace.run([
      (0, .didChangeState(.suspended), []), (1, .poweredOn, []),
      (
        2, .didChangeState(.foreground),
        [.call(.addService(ServiceID(rawValue: 0), profile.services[0].definition))]
      ),
    ])
  }

  @Test func `a deadline that passed is canceled if its subscriber has left before`() {
    var trace = counter()
    trace.run([
      (0, .didSubscribe("A", id), [.schedule(id, at: .seconds(1))]),
      (0.1, .didChangeState(.suspended), []),
      (0.2, .didUnsubscribe("A", id), []), (0.3, .didSubscribe("B", id), []), (1, .due(id), []),
      (4.5, .didChangeState(.background), [.unschedule(id), .schedule(id, at: .seconds(5))]),
      (5, .due(id), [.updateValue(id, [5]), .schedule(id, at: .seconds(6))]),
    ])
  }

  @Test func `each of several generators sends its next value once`() {
    let slow = Fixture.id(1)
    var trace = Trace(
      machine: Fixture.machine(
        Fixture.characteristic(1, Fixture.counter()), Fixture.characteristic(2, Fixture.counter(every: .seconds(3)))))
    trace.run([
      (0, .didSubscribe("A", slow), [.schedule(slow, at: .seconds(3))]),
      (0, .didSubscribe("A", id), [.schedule(id, at: .seconds(1))]),
      (0, .didChangeState(.suspended), []), (1, .due(id), []), (3, .due(slow), []),
      (
        10, .didChangeState(.background),
        [
          .updateValue(id, [1]), .schedule(id, at: .seconds(11)), .schedule(slow, at: .seconds(12)),
          .updateValue(slow, [1]),
        ]
      ),
    ])
  }
}
