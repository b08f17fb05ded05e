import BleperaAppLink
import BleperaBluetooth
import BleperaProfileApp
import Testing

@testable import BleperaProfile

@Suite struct EchoTests {
  private let source = Fixture.id(0)
  private let echo = Fixture.id(1)

  /// FE01 without a behavior and FE02, which repeats it.
  private func pair(initialValue: [UInt8] = []) -> Trace {
    Trace(
      machine: Fixture.machine(
        Fixture.characteristic(1),
        Fixture.characteristic(2, .echo(Echo(source: Fixture.uuid(0xFE01), initialValue: initialValue)))))
  }

  @Test func `a written value is read, and notified while a central is subscribed`() {
    let id = Fixture.id(0)
    var trace = Trace(machine: Fixture.machine(Fixture.characteristic(1, .echo(Echo()))))
    trace.run([
      (0, .read(1, id), [.respond(1)]),
      (1, .write(2, id, [1]), [.respond(2)]),
      (2, .read(3, id), [.respond(3, [1])]),
      (3, .didSubscribe("A", id), []),
      (4, .write(4, id, [2, 3]), [.respond(4), .updateValue(id, [2, 3])]),
      (5, .write(5, id, offset: 1, [4]), [.respond(5), .updateValue(id, [2, 4])]),
      (6, .didUnsubscribe("A", id), []),
      (7, .write(6, id, [5]), [.respond(6)]),
      (8, .read(7, id), [.respond(7, [5])]),
    ])
  }

  @Test func `an echo with a source repeats the values written to the source`() {
    var trace = pair()
    trace.run([
      (0, .didSubscribe("A", echo), []),
      (1, .write(1, source, [1]), [.respond(1), .updateValue(echo, [1])]),
      (2, .read(2, echo), [.respond(2, [1])]), (2, .read(3, source), [.respond(3, [1])]),
      (3, .write(4, echo, [9]), [.respond(4)]),
      (4, .read(5, source), [.respond(5, [1])]),
    ])
  }

  @Test func `an echo has its initial value before the first write`() {
    var trace = pair(initialValue: [7, 8])
    trace.run([
      (0, .read(1, echo), [.respond(1, [7, 8])]), (0, .read(2, echo, offset: 1), [.respond(2, [8])]),
      (0, .read(3, source), [.respond(3)]),
      (1, .write(4, source, [1]), [.respond(4)]),
      (1, .read(5, echo), [.respond(5, [1])]),
    ])
  }

  @Test func `a long write is notified once as a whole, and a refused one is not`() {
    var trace = pair()
    trace.run([
      (0, .didSubscribe("A", echo), []),
      (1, .write([(1, source, 0, [1, 2]), (2, source, 2, [3])]), [.respond(1), .updateValue(echo, [1, 2, 3])]),
      (2, .write([(3, source, 0, [9]), (4, source, 2, [9])]), [.respond(3, error: .invalidOffset)]),
      (3, .read(5, echo), [.respond(5, [1, 2, 3])]),
    ])
  }

  @Test func `one write may have several echoes, each for its own subscribers`() {
    let repeating = Behavior.echo(Echo(source: Fixture.uuid(0xFE01)))
    var trace = Trace(
      machine: Fixture.machine(
        Fixture.characteristic(1, .echo(Echo())), Fixture.characteristic(2, repeating),
        Fixture.characteristic(3, repeating)))
    trace.run([
      (0, .didSubscribe("A", Fixture.id(0)), []), (0, .didSubscribe("B", Fixture.id(2)), []),
      (1, .write(1, source, [1]), [.respond(1), .updateValue(Fixture.id(0), [1]), .updateValue(Fixture.id(2), [1])]),
      (2, .read(2, Fixture.id(1)), [.respond(2, [1])]),
    ])
  }

  @Test func `a source in another service is another characteristic`() {
    let profile = Fixture.profile([
      [Fixture.characteristic(1)], [Fixture.characteristic(2, .echo(Echo(source: Fixture.uuid(0xFE01))))],
    ])
    let echo = Fixture.id(0, inService: 1)
    var trace = Trace(machine: ProfileMachine(profile: profile, name: "test", seed: 0))
    trace.run([
      (0, .didSubscribe("A", echo), []),
      (1, .write(1, source, [1]), [.respond(1)]),
      (1, .read(2, echo), [.respond(2)]),
    ])
  }
}
