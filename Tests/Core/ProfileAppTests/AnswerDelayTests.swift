import BleperaAppLink
import BleperaBluetooth
import BleperaProfileApp
import Testing

@testable import BleperaProfile

@Suite struct AnswerDelayTests {
  private let slow = Fixture.id(0)
  private let slower = Fixture.id(1)
  private let quick = Fixture.id(2)

  /// Echoes that answer after 2 s, after 5 s and at once.
  private func echoes() -> Trace {
    Trace(
      machine: Fixture.machine(
        Fixture.characteristic(1, .echo(Echo()), answersAfter: .seconds(2)),
        Fixture.characteristic(2, .echo(Echo()), answersAfter: .seconds(5)),
        Fixture.characteristic(3, .echo(Echo()))))
  }

  @Test func `a read has its response after the delay, with the value at that time`() {
    var trace = Trace(
      machine: Fixture.machine(Fixture.characteristic(1, Fixture.counter(), answersAfter: .seconds(20))))
    trace.run([
      (1.5, .read(1, slow), [.schedule(response: 1, at: .seconds(21.5))]),
      (21.5, .due(response: 1), [.respond(1, [21])]),
      (22, .due(response: 1), []),
    ])
  }

  @Test func `a write takes effect with its response`() {
    var trace = echoes()
    trace.run([
      (0, .didSubscribe("A", slow), []),
      (1, .write(1, slow, [7]), [.schedule(response: 1, at: .seconds(3))]),
      (2, .read(2, slow), [.schedule(response: 2, at: .seconds(4))]),
      (3, .due(response: 1), [.respond(1), .updateValue(slow, [7])]),
      (4, .due(response: 2), [.respond(2, [7])]),
    ])
  }

  @Test func `several requests wait at once, each for its own delay`() {
    var trace = echoes()
    trace.run([
      (0, .write(1, slower, [1]), [.schedule(response: 1, at: .seconds(5))]),
      (1, .write(2, slow, [2]), [.schedule(response: 2, at: .seconds(3))]),
      (2, .write(3, quick, [3]), [.respond(3)]),
      (3, .due(response: 2), [.respond(2)]),
      (5, .due(response: 1), [.respond(1)]),
    ])
  }

  @Test(arguments: [[1, 2, 3], [3, 2, 1], [2, 3, 1]])
  func `responses that are due at the same time are sent in the order of their requests`(
    order: [Int]
  ) {
    var trace = echoes()
    trace.run([
      (0, .write(1, slower, [1]), [.schedule(response: 1, at: .seconds(5))]),
      (3, .write(2, slow, [1]), [.schedule(response: 2, at: .seconds(5))]),
      (3, .write(3, slow, [2]), [.schedule(response: 3, at: .seconds(5))]),
    ])
    var answers: [ProfileMachine.Action] = []
    for request in order { answers += trace.machine.handle(.due(response: request), at: .seconds(5)) }
    #expect(answers.filter { if case .send = $0 { true } else { false } } == [.respond(1), .respond(2), .respond(3)])
    trace.run([
      (6, .read(4, slow), [.schedule(response: 4, at: .seconds(8))]), (8, .due(response: 4), [.respond(4, [2])]),
    ])
  }

  @Test func `a timer whose response has been sent is canceled`() {
    var trace = echoes()
    trace.run([
      (0, .write(1, slow, [1]), [.schedule(response: 1, at: .seconds(2))]),
      (0, .write(2, slow, [2]), [.schedule(response: 2, at: .seconds(2))]),
      (2, .due(response: 2), [.unschedule(response: 1), .respond(1), .respond(2)]),
      (2, .due(response: 1), []),
    ])
  }

  @Test func `several writes that are one unit take as long as the slowest of them`() {
    var trace = echoes()
    trace.run([
      (
        0, .write([(1, quick, 0, [1]), (2, slower, 0, [2]), (3, slow, 0, [3])]),
        [.schedule(response: 1, at: .seconds(5))]
      ),
      (1, .read(4, quick), [.respond(4)]),
      (5, .due(response: 1), [.respond(1)]),
      (5, .read(5, quick), [.respond(5, [1])]),
    ])
  }

  @Test func `a refusal is delayed, too, unless the characteristic is unknown`() {
    var trace = echoes()
    trace.run([
      (0, .read(1, slow, offset: 1), [.schedule(response: 1, at: .seconds(2))]),
      (0, .write(2, slow, offset: 1, [1]), [.schedule(response: 2, at: .seconds(2))]),
      (0, .read(3, Fixture.id(9)), [.respond(3, error: .attributeNotFound)]),
      (2, .due(response: 1), [.respond(1, error: .invalidOffset)]),
      (2, .due(response: 2), [.respond(2, error: .invalidOffset)]),
    ])
  }

  @Test func `a request that arrives twice has one response`() {
    var trace = echoes()
    trace.run([
      (0, .read(1, slow), [.schedule(response: 1, at: .seconds(2))]), (1, .read(1, slow), []),
      (2, .due(response: 1), [.respond(1)]), (3, .due(response: 1), []),
    ])
  }

  @Test func `the delay continues during a suspension, and the response is sent when the app runs again`() {
    var trace = echoes()
    trace.run([
      (0, .write(1, slow, [1]), [.schedule(response: 1, at: .seconds(2))]),
      (0, .read(2, slower), [.schedule(response: 2, at: .seconds(5))]),
      (1, .didChangeState(.suspended), []),
      (2, .due(response: 1), []),
      (3, .read(3, slow), []),
      (4, .didChangeState(.background), [.respond(1), .schedule(response: 3, at: .seconds(6))]),
      (5, .due(response: 2), [.respond(2)]),
      (6, .due(response: 3), [.respond(3, [1])]),
    ])
  }

  @Test func `responses that were due during a suspension are sent in order`() {
    var trace = echoes()
    trace.run([
      (0, .write(1, slow, [1]), [.schedule(response: 1, at: .seconds(2))]),
      (0, .write(2, slow, [2]), [.schedule(response: 2, at: .seconds(2))]),
      (1, .didChangeState(.suspended), []),
      (2, .due(response: 2), []), (2, .due(response: 1), []),
      (30, .didChangeState(.background), [.unschedule(response: 1), .respond(1), .respond(2)]),
    ])
  }

  @Test(arguments: [ManagerState.poweredOff, .resetting])
  func `an app continues when the central has disconnected`(state: ManagerState) {
    var trace = echoes()
    trace.run([
      (0, .didSubscribe("A", slow), []),
      (0, .write(1, slow, [1]), [.schedule(response: 1, at: .seconds(2))]),
      (1, .state(state), []), (2, .due(response: 1), [.respond(1)]),
      (3, .read(2, slow), [.schedule(response: 2, at: .seconds(5))]), (5, .due(response: 2), [.respond(2, [1])]),
    ])
  }
}
