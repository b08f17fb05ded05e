import BleperaAppLink
import BleperaBluetooth
import BleperaProfile
import BleperaProfileApp
import Testing

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

  @Test func `a read is answered after the delay, with the value of then`() {
    var trace = Trace(
      machine: Fixture.machine(Fixture.characteristic(1, Fixture.counter(), answersAfter: .seconds(20))))
    trace.run([
      (1.5, .read(1, slow), [.schedule(answer: 1, at: .seconds(21.5))]),
      (21.5, .due(answer: 1), [.answer(1, [21])]),
      (22, .due(answer: 1), []),
    ])
  }

  @Test func `a write takes effect when it is answered`() {
    var trace = echoes()
    trace.run([
      (0, .subscribed("A", slow), []),
      (1, .write(1, slow, [7]), [.schedule(answer: 1, at: .seconds(3))]),
      (2, .read(2, slow), [.schedule(answer: 2, at: .seconds(4))]),
      (3, .due(answer: 1), [.answer(1), .update(slow, [7])]),
      (4, .due(answer: 2), [.answer(2, [7])]),
    ])
  }

  @Test func `several requests wait at once, each for its own time`() {
    var trace = echoes()
    trace.run([
      (0, .write(1, slower, [1]), [.schedule(answer: 1, at: .seconds(5))]),
      (1, .write(2, slow, [2]), [.schedule(answer: 2, at: .seconds(3))]),
      (2, .write(3, quick, [3]), [.answer(3)]),
      (3, .due(answer: 2), [.answer(2)]),
      (5, .due(answer: 1), [.answer(1)]),
    ])
  }

  @Test(arguments: [[1, 2, 3], [3, 2, 1], [2, 3, 1]])
  func `what is due at the same time is answered in the order in which it came, whichever timer is first`(
    order: [Int]
  ) {
    var trace = echoes()
    trace.run([
      (0, .write(1, slower, [1]), [.schedule(answer: 1, at: .seconds(5))]),
      (3, .write(2, slow, [1]), [.schedule(answer: 2, at: .seconds(5))]),
      (3, .write(3, slow, [2]), [.schedule(answer: 3, at: .seconds(5))]),
    ])
    var answers: [ProfileMachine.Action] = []
    for request in order { answers += trace.machine.handle(.due(answer: request), at: .seconds(5)) }
    #expect(answers.filter { if case .send = $0 { true } else { false } } == [.answer(1), .answer(2), .answer(3)])
    trace.run([(6, .read(4, slow), [.schedule(answer: 4, at: .seconds(8))]), (8, .due(answer: 4), [.answer(4, [2])])])
  }

  @Test func `a timer that is overtaken is not needed any more`() {
    var trace = echoes()
    trace.run([
      (0, .write(1, slow, [1]), [.schedule(answer: 1, at: .seconds(2))]),
      (0, .write(2, slow, [2]), [.schedule(answer: 2, at: .seconds(2))]),
      (2, .due(answer: 2), [.unschedule(answer: 1), .answer(1), .answer(2)]),
      (2, .due(answer: 1), []),
    ])
  }

  @Test func `several writes that are one unit take as long as the slowest of them`() {
    var trace = echoes()
    trace.run([
      (
        0, .write([(1, quick, 0, [1]), (2, slower, 0, [2]), (3, slow, 0, [3])]),
        [.schedule(answer: 1, at: .seconds(5))]
      ),
      (1, .read(4, quick), [.answer(4)]),
      (5, .due(answer: 1), [.answer(1)]),
      (5, .read(5, quick), [.answer(5, [1])]),
    ])
  }

  @Test func `a refusal takes as long as any answer, unless the characteristic is unknown`() {
    var trace = echoes()
    trace.run([
      (0, .read(1, slow, offset: 1), [.schedule(answer: 1, at: .seconds(2))]),
      (0, .write(2, slow, offset: 1, [1]), [.schedule(answer: 2, at: .seconds(2))]),
      (0, .read(3, Fixture.id(9)), [.refuse(3, .attributeNotFound)]),
      (2, .due(answer: 1), [.refuse(1, .invalidOffset)]),
      (2, .due(answer: 2), [.refuse(2, .invalidOffset)]),
    ])
  }

  @Test func `a request that comes twice is answered once`() {
    var trace = echoes()
    trace.run([
      (0, .read(1, slow), [.schedule(answer: 1, at: .seconds(2))]), (1, .read(1, slow), []),
      (2, .due(answer: 1), [.answer(1)]), (3, .due(answer: 1), []),
    ])
  }

  @Test func `the delay goes on while the app is suspended, and the answer goes out when it runs again`() {
    var trace = echoes()
    trace.run([
      (0, .write(1, slow, [1]), [.schedule(answer: 1, at: .seconds(2))]),
      (0, .read(2, slower), [.schedule(answer: 2, at: .seconds(5))]),
      (1, .changed(.suspended), []),
      (2, .due(answer: 1), []),
      (3, .read(3, slow), []),
      (4, .changed(.background), [.answer(1), .schedule(answer: 3, at: .seconds(6))]),
      (5, .due(answer: 2), [.answer(2)]),
      (6, .due(answer: 3), [.answer(3, [1])]),
    ])
  }

  @Test func `answers that were due while the app was suspended go out in their order`() {
    var trace = echoes()
    trace.run([
      (0, .write(1, slow, [1]), [.schedule(answer: 1, at: .seconds(2))]),
      (0, .write(2, slow, [2]), [.schedule(answer: 2, at: .seconds(2))]),
      (1, .changed(.suspended), []),
      (2, .due(answer: 2), []), (2, .due(answer: 1), []),
      (30, .changed(.background), [.unschedule(answer: 1), .answer(1), .answer(2)]),
    ])
  }

  @Test(arguments: [ManagerState.poweredOff, .resetting])
  func `an app goes on with its work when the central is gone`(state: ManagerState) {
    var trace = echoes()
    trace.run([
      (0, .subscribed("A", slow), []),
      (0, .write(1, slow, [1]), [.schedule(answer: 1, at: .seconds(2))]),
      (1, .state(state), []), (2, .due(answer: 1), [.answer(1)]),
      (3, .read(2, slow), [.schedule(answer: 2, at: .seconds(5))]), (5, .due(answer: 2), [.answer(2, [1])]),
    ])
  }
}
