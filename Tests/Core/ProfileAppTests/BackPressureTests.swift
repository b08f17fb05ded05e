import BleperaAppLink
import Testing

@testable import BleperaProfile
@testable import BleperaProfileApp

@Suite struct BackPressureTests {
  private let id = Fixture.id(0)
  private let other = Fixture.id(1)

  /// Two echoes that central A is subscribed to.
  private func echoes() -> Trace {
    var trace = Trace(
      machine: Fixture.machine(Fixture.characteristic(1, .echo(Echo())), Fixture.characteristic(2, .echo(Echo()))),
      hasRoom: false)
    trace.run([(0, .didSubscribe("A", id), []), (0, .didSubscribe("A", other), [])])
    return trace
  }

  @Test func `an update is sent after the reply to the one before it, and an update that was not queued is sent first`()
  {
    var trace = echoes()
    trace.run([
      (1, .write(1, id, [1]), [.respond(1), .updateValue(id, [1])]), (1, .write(2, id, [2]), [.respond(2)]),
      (1, .write(3, other, [3]), [.respond(3)]),
      (1, .didUpdateValue(id, queued: true), [.updateValue(id, [2])]), (1, .didUpdateValue(id, queued: false), []),
      (2, .write(4, id, [4]), [.respond(4)]),
      (3, .isReadyToUpdateSubscribers, [.updateValue(id, [2])]),
      (3, .didUpdateValue(id, queued: true), [.updateValue(other, [3])]),
      (3, .didUpdateValue(other, queued: false), []),
      (4, .isReadyToUpdateSubscribers, [.updateValue(other, [3])]),
      (4, .didUpdateValue(other, queued: true), [.updateValue(id, [4])]), (4, .didUpdateValue(id, queued: true), []),
      (5, .isReadyToUpdateSubscribers, []),
      (6, .write(5, id, [5]), [.respond(5), .updateValue(id, [5])]),
    ])
  }

  @Test func `a late refusal does not reorder updates`() {
    var trace = echoes()
    trace.run([
      (1, .write(1, id, [1]), [.respond(1), .updateValue(id, [1])]), (1, .write(2, id, [2]), [.respond(2)]),
      // The phone was ready again before the app received the refusal.
      (2, .didUpdateValue(id, queued: false), []), (2, .isReadyToUpdateSubscribers, [.updateValue(id, [1])]),
      (2, .didUpdateValue(id, queued: true), [.updateValue(id, [2])]),
      (2, .didUpdateValue(id, queued: true), []),
    ])
  }

  @Test func `an update that cannot be sent is not sent again`() {
    var trace = echoes()
    trace.run([
      (1, .write(1, id, [1]), [.respond(1), .updateValue(id, [1])]),
      (1, .callback(.didUpdateValue(id, queued: false, error: "unknown")), []), (2, .isReadyToUpdateSubscribers, []),
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

  @Test func `a value that is refused again is sent again`() {
    var trace = echoes()
    trace.run([
      (1, .write(1, id, [1]), [.respond(1), .updateValue(id, [1])]), (1, .didUpdateValue(id, queued: false), []),
      (2, .isReadyToUpdateSubscribers, [.updateValue(id, [1])]), (2, .didUpdateValue(id, queued: false), []),
      (3, .isReadyToUpdateSubscribers, [.updateValue(id, [1])]), (3, .didUpdateValue(id, queued: true), []),
      (4, .isReadyToUpdateSubscribers, []),
    ])
  }

  @Test func `each characteristic has its own pending value`() {
    var trace = echoes()
    trace.run([
      (1, .write(1, id, [1]), [.respond(1), .updateValue(id, [1])]), (1, .didUpdateValue(id, queued: false), []),
      (1, .write(2, other, [2]), [.respond(2)]),
      (2, .isReadyToUpdateSubscribers, [.updateValue(id, [1])]),
      (2, .didUpdateValue(id, queued: true), [.updateValue(other, [2])]),
      (2, .didUpdateValue(other, queued: true), []),
    ])
  }

  @Test func `a value that was queued is not sent again`() {
    var trace = echoes()
    trace.run([
      (1, .write(1, id, [1]), [.respond(1), .updateValue(id, [1])]), (1, .didUpdateValue(id, queued: true), []),
      (2, .isReadyToUpdateSubscribers, []),
      (3, .write(2, id, [2]), [.respond(2), .updateValue(id, [2])]), (3, .didUpdateValue(id, queued: true), []),
      (5, .isReadyToUpdateSubscribers, []),
    ])
  }

  @Test(arguments: [true, false])
  func `nothing is sent for a subscriber that has left`(beforeTheReply: Bool) {
    var trace = echoes()
    let leaving: [Trace.Step] = [(1, .didUpdateValue(id, queued: false), []), (1, .didUnsubscribe("A", id), [])]
    trace.run([(1, .write(1, id, [1]), [.respond(1), .updateValue(id, [1])])])
    trace.run(beforeTheReply ? leaving.reversed() : leaving)
    trace.run([(2, .didSubscribe("B", id), []), (3, .isReadyToUpdateSubscribers, [])])
  }

  @Test func `a generator sends no further value before a refused one`() {
    var trace = Trace(machine: Fixture.machine(Fixture.characteristic(1, Fixture.counter())), hasRoom: false)
    trace.run([
      (0, .didSubscribe("A", id), [.schedule(id, at: .seconds(1))]),
      (1, .due(id), [.updateValue(id, [1]), .schedule(id, at: .seconds(2))]),
      (1, .didUpdateValue(id, queued: false), []),
      (2, .due(id), [.schedule(id, at: .seconds(3))]),
      (2.5, .isReadyToUpdateSubscribers, [.updateValue(id, [1])]), (2.5, .didUpdateValue(id, queued: true), []),
      (3, .due(id), [.updateValue(id, [2]), .schedule(id, at: .seconds(4))]),
    ])
  }

  @Test(arguments: [true, false])
  func `a reply for a value that was never sent is ignored`(isQueued: Bool) {
    var trace = echoes()
    trace.run([
      (1, .didUpdateValue(id, queued: isQueued), []), (1, .didUpdateValue(Fixture.id(9), queued: isQueued), []),
      (2, .isReadyToUpdateSubscribers, []),
    ])
  }
}
