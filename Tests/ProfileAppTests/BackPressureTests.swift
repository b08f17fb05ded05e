import BleperaAppLink
import BleperaProfile
import Testing

@testable import BleperaProfileApp

@Suite struct BackPressureTests {
  private let id = Fixture.id(0)
  private let other = Fixture.id(1)

  /// Two echoes that central A is subscribed to.
  private func echoes() -> Trace {
    var trace = Trace(
      machine: Fixture.machine(Fixture.characteristic(1, .echo(Echo())), Fixture.characteristic(2, .echo(Echo()))),
      hasRoom: false)
    trace.run([(0, .subscribed("A", id), []), (0, .subscribed("A", other), [])])
    return trace
  }

  @Test func `an update follows the answer to the one before it, and the one that was turned away is sent first`() {
    var trace = echoes()
    trace.run([
      (1, .write(1, id, [1]), [.answer(1), .update(id, [1])]), (1, .write(2, id, [2]), [.answer(2)]),
      (1, .write(3, other, [3]), [.answer(3)]),
      (1, .queued(id, true), [.update(id, [2])]), (1, .queued(id, false), []),
      (2, .write(4, id, [4]), [.answer(4)]),
      (3, .isReady, [.update(id, [2])]), (3, .queued(id, true), [.update(other, [3])]),
      (3, .queued(other, false), []),
      (4, .isReady, [.update(other, [3])]), (4, .queued(other, true), [.update(id, [4])]), (4, .queued(id, true), []),
      (5, .isReady, []),
      (6, .write(5, id, [5]), [.answer(5), .update(id, [5])]),
    ])
  }

  @Test func `a refusal that is heard late does not let a later update overtake`() {
    var trace = echoes()
    trace.run([
      (1, .write(1, id, [1]), [.answer(1), .update(id, [1])]), (1, .write(2, id, [2]), [.answer(2)]),
      // The phone was ready again before the app heard of the refusal.
      (2, .queued(id, false), []), (2, .isReady, [.update(id, [1])]), (2, .queued(id, true), [.update(id, [2])]),
      (2, .queued(id, true), []),
    ])
  }

  @Test func `an update that cannot be sent is not sent again`() {
    var trace = echoes()
    trace.run([
      (1, .write(1, id, [1]), [.answer(1), .update(id, [1])]),
      (1, .received(.didUpdateValue(id, queued: false, error: "it is gone")), []), (2, .isReady, []),
    ])
  }

  @Test func `an app keeps 1,024 values at most`() {
    var updates = UpdateBacklog()
    #expect(updates.add(id, [0]) != nil)
    #expect(updates.answered(id, isQueued: false, isOwed: true) == nil)
    for _ in 0..<2000 { #expect(updates.add(id, [1]) == nil) }
    var count = 0
    var next = updates.ready()
    while next != nil {
      count += 1
      next = updates.answered(id, isQueued: true, isOwed: true)
    }
    #expect(count == 1024)
  }

  @Test func `a value that is turned away again is sent again`() {
    var trace = echoes()
    trace.run([
      (1, .write(1, id, [1]), [.answer(1), .update(id, [1])]), (1, .queued(id, false), []),
      (2, .isReady, [.update(id, [1])]), (2, .queued(id, false), []),
      (3, .isReady, [.update(id, [1])]), (3, .queued(id, true), []),
      (4, .isReady, []),
    ])
  }

  @Test func `each characteristic is owed its own value`() {
    var trace = echoes()
    trace.run([
      (1, .write(1, id, [1]), [.answer(1), .update(id, [1])]), (1, .queued(id, false), []),
      (1, .write(2, other, [2]), [.answer(2)]),
      (2, .isReady, [.update(id, [1])]), (2, .queued(id, true), [.update(other, [2])]),
      (2, .queued(other, true), []),
    ])
  }

  @Test func `a value that was queued is not sent again`() {
    var trace = echoes()
    trace.run([
      (1, .write(1, id, [1]), [.answer(1), .update(id, [1])]), (1, .queued(id, true), []),
      (2, .isReady, []),
      (3, .write(2, id, [2]), [.answer(2), .update(id, [2])]), (3, .queued(id, true), []), (5, .isReady, []),
    ])
  }

  @Test(arguments: [true, false])
  func `nothing is owed to a subscriber that has left`(beforeTheAnswer: Bool) {
    var trace = echoes()
    let leaving: [Trace.Step] = [(1, .queued(id, false), []), (1, .unsubscribed("A", id), [])]
    trace.run([(1, .write(1, id, [1]), [.answer(1), .update(id, [1])])])
    trace.run(beforeTheAnswer ? leaving.reversed() : leaving)
    trace.run([(2, .subscribed("B", id), []), (3, .isReady, [])])
  }

  @Test func `a generator sends no further value before the one that was turned away`() {
    var trace = Trace(machine: Fixture.machine(Fixture.characteristic(1, Fixture.counter())), hasRoom: false)
    trace.run([
      (0, .subscribed("A", id), [.schedule(id, at: .seconds(1))]),
      (1, .due(id), [.update(id, [1]), .schedule(id, at: .seconds(2))]), (1, .queued(id, false), []),
      (2, .due(id), [.schedule(id, at: .seconds(3))]),
      (2.5, .isReady, [.update(id, [1])]), (2.5, .queued(id, true), []),
      (3, .due(id), [.update(id, [2]), .schedule(id, at: .seconds(4))]),
    ])
  }

  @Test(arguments: [true, false])
  func `the system may say it of a value that was never sent`(isQueued: Bool) {
    var trace = echoes()
    trace.run([(1, .queued(id, isQueued), []), (1, .queued(Fixture.id(9), isQueued), []), (2, .isReady, [])])
  }
}
