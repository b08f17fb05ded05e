import BleperaAppLink
import BleperaBluetooth
import BleperaProfileApp
import BleperaPropertyLists
import Testing

@testable import BleperaProfile

/// Tables of responses: what is written, and what the app does.
@Suite struct ResponseTests {
  private let command = Fixture.id(0)
  private let other = Fixture.id(1)

  private typealias Row = Responses.Row
  private typealias Step = Responses.Step

  /// An app whose FE01 has these responses, beside FE02 without a behavior.
  private func trace(
    states: [String] = [], otherwise: ATTError = Responses.defaultError, answersAfter delay: Duration = .zero,
    _ rows: Responses.Row...
  ) -> Trace {
    let behavior = Behavior.responses(Responses(rows: rows, otherwise: otherwise, initialValue: [7]))
    let service = Profile.Service(
      uuid: Fixture.uuid(0xFE10), states: states,
      characteristics: [
        Fixture.characteristic(1, behavior, answersAfter: delay), Fixture.characteristic(2),
      ])
    return Trace(machine: ProfileMachine(profile: Profile(services: [service]), name: "test", seed: 1))
  }

  private func toOther(_ value: [UInt8], after seconds: Double = 0, _ state: String? = nil) -> Responses.Step {
    Step(
      after: .seconds(seconds), characteristic: Fixture.uuid(0xFE02), value: ValueTemplate(value), newState: state)
  }

  @Test func `the first matching row applies, and a request that matches no row is refused`() {
    var trace = trace(
      otherwise: .requestNotSupported, Row(.exactly([1])), Row(.exactly([2]), value: ValueTemplate([0xA2])),
      Row(.prefix([2]), error: .valueNotAllowed))
    trace.run([
      (0, .read(1, command), [.respond(1, [7])]),
      (1, .write(2, command, [1]), [.respond(2)]), (1, .read(3, command), [.respond(3, [1])]),
      (2, .write(4, command, [2]), [.respond(4)]), (2, .read(5, command), [.respond(5, [0xA2])]),
      (3, .write(6, command, [2, 0]), [.respond(6, error: .valueNotAllowed)]),
      (4, .write(7, command, [3]), [.respond(7, error: .requestNotSupported)]),
      (4, .write(8, command, []), [.respond(8, error: .requestNotSupported)]),
      (5, .read(9, command), [.respond(9, [0xA2])]),
    ])
  }

  @Test func `steps follow each other after their delays, and only subscribers receive their values`() {
    var trace = trace(Row(.any, steps: [toOther([1]), toOther([2], after: 1), toOther([3], after: 0.5)]))
    trace.run([
      (0, .write(1, command, [0]), [.respond(1), .schedule(.steps, at: .seconds(1))]),
      (0, .read(2, other), [.respond(2, [1])]),
      (0.5, .didSubscribe("A", other), []),
      (1, .due(.steps), [.updateValue(other, [2]), .schedule(.steps, at: .seconds(1.5))]),
      (1.5, .due(.steps), [.updateValue(other, [3])]),
      (2, .read(3, other), [.respond(3, [3])]),
    ])
  }

  @Test func `a late step delays the following steps, and a suspended app continues when it runs again`() {
    var trace = trace(Row(.any, steps: [toOther([1], after: 1), toOther([2], after: 1)]))
    trace.run([
      (0, .didSubscribe("A", other), []),
      (0, .write(1, command, [0]), [.respond(1), .schedule(.steps, at: .seconds(1))]),
      (0.5, .didChangeState(.suspended), []), (1, .due(.steps), []),
      (9, .didChangeState(.background), [.updateValue(other, [1]), .schedule(.steps, at: .seconds(10))]),
      (10, .due(.steps), [.updateValue(other, [2])]),
    ])
  }

  @Test func `captured bytes are inserted into later values`() {
    let pattern = WritePattern(
      bytes: [1, nil, nil], allowsRest: true,
      fields: ["id": .init(offset: 1, count: 2), "rest": .init(offset: 3, count: nil)])
    let template = ValueTemplate(parts: [.field("rest"), .bytes([0xFF]), .field("id")])
    var trace = trace(
      Row(pattern, value: template, steps: [Step(characteristic: Fixture.uuid(0xFE02), value: template)]))
    trace.run([
      (0, .didSubscribe("A", other), []),
      (0, .write(1, command, [1, 2, 3, 4, 5]), [.respond(1), .updateValue(other, [4, 5, 0xFF, 2, 3])]),
      (0, .write(2, command, [1, 2, 3]), [.respond(2), .updateValue(other, [0xFF, 2, 3])]),
      (0, .read(3, command), [.respond(3, [0xFF, 2, 3])]),
      (0, .write(4, command, [1, 2]), [.respond(4, error: Responses.defaultError)]),
      (
        1, .write(5, command, [1, 2, 3] + [UInt8](repeating: 9, count: 509)),
        [.respond(5), .updateValue(other, [UInt8](repeating: 9, count: 509) + [0xFF, 2, 3].prefix(3))]
      ),
    ])
  }

  @Test func `rows require and set the state, and so may refusals and steps`() {
    var trace = trace(
      states: ["locked", "asked", "open"],
      Row(.exactly([1]), states: ["locked"], newState: "asked"),
      Row(.exactly([2]), states: ["asked"], newState: "open", steps: [Step(after: .seconds(5), newState: "locked")]),
      Row(.any, states: ["asked"], error: ATTError(rawValue: 0x81), newState: "locked"),
      Row(.exactly([3]), states: ["asked", "open"]))
    trace.run([
      (0, .write(1, command, [2]), [.respond(1, error: Responses.defaultError)]),
      (1, .write(2, command, [1]), [.respond(2)]),
      (2, .write(3, command, [9]), [.respond(3, error: ATTError(rawValue: 0x81))]),
      (3, .write(4, command, [2]), [.respond(4, error: Responses.defaultError)]),
      (4, .write(5, command, [1]), [.respond(5)]),
      (5, .write(6, command, [2]), [.respond(6), .schedule(.steps, at: .seconds(10))]),
      (6, .write(7, command, [3]), [.respond(7)]),
      (10, .due(.steps), []),
      (11, .write(8, command, [3]), [.respond(8, error: Responses.defaultError)]),
    ])
  }

  @Test func `a step that is due is performed before a request, in whichever order they arrive`() {
    var trace = trace(
      states: ["open", "shut"], Row(.exactly([1]), states: ["open"], steps: [toOther([0], after: 5, "shut")]))
    trace.run([
      (0, .write(1, command, [1]), [.respond(1), .schedule(.steps, at: .seconds(5))]),
      (60, .write(2, command, [1]), [.respond(2, error: Responses.defaultError)]),
      (60, .read(3, other), [.respond(3, [0])]), (60, .due(.steps), []),
    ])
  }

  @Test func `a row may cancel the pending steps of earlier rows`() {
    var trace = trace(
      Row(.exactly([1]), steps: [toOther([1], after: 1), toOther([2], after: 1)]),
      Row(.exactly([0]), cancels: true, steps: [toOther([9])]))
    trace.run([
      (0, .didSubscribe("A", other), []),
      (0, .write(1, command, [1]), [.respond(1), .schedule(.steps, at: .seconds(1))]),
      (1, .due(.steps), [.updateValue(other, [1]), .schedule(.steps, at: .seconds(2))]),
      (1.5, .write(2, command, [0]), [.respond(2), .updateValue(other, [9]), .unschedule(.steps)]),
      (2, .due(.steps), []),
      (3, .write(3, command, [0]), [.respond(3), .updateValue(other, [9])]),
    ])
  }

  @Test func `steps of several writes are performed by their time`() {
    var trace = trace(
      Row(.exactly([1]), steps: [toOther([1], after: 3)]), Row(.exactly([2]), steps: [toOther([2], after: 1)]))
    trace.run([
      (0, .didSubscribe("A", other), []),
      (0, .write(1, command, [1]), [.respond(1), .schedule(.steps, at: .seconds(3))]),
      (1, .write(2, command, [2]), [.respond(2), .schedule(.steps, at: .seconds(2))]),
      (2, .due(.steps), [.updateValue(other, [2]), .schedule(.steps, at: .seconds(3))]),
      (2, .write(3, command, [2]), [.respond(3)]),
      (3.1, .due(.steps), [.updateValue(other, [1]), .updateValue(other, [2])]),
    ])
  }

  @Test func `a row may require that the writing central is subscribed`() {
    var trace = trace(
      Row(.any, unlessSubscribed: [Fixture.uuid(0xFE02)], error: .cccdImproperlyConfigured), Row(.any))
    trace.run([
      (0, .write(1, command, [1]), [.respond(1, error: .cccdImproperlyConfigured)]),
      (1, .didSubscribe("B", other), []),
      (1, .write(2, command, [1]), [.respond(2, error: .cccdImproperlyConfigured)]),
      (2, .didSubscribe("A", other), []),
      (2, .write(3, command, [1]), [.respond(3)]),
    ])
  }

  @Test func `a long write is one value, and a delayed response uses the state at that time`() {
    var trace = trace(
      states: ["a", "b"], answersAfter: .seconds(1), Row(.exactly([1, 2, 3]), states: ["a"], newState: "b"))
    trace.run([
      (
        0, .write([(1, command, 0, [1, 2]), (2, command, 2, [3])]),
        [.schedule(response: 1, at: .seconds(1))]
      ),
      (0.5, .write(3, command, [1, 2, 3]), [.schedule(response: 3, at: .seconds(1.5))]),
      (1, .due(response: 1), [.respond(1)]), (1.5, .due(response: 3), [.respond(3, error: Responses.defaultError)]),
    ])
  }

  @Test func `a write to several characteristics is refused as a whole where one row refuses it`() {
    var trace = trace(Row(.any, error: .valueNotAllowed))
    trace.run([
      (0, .write([(1, other, 0, [5]), (2, command, 0, [1])]), [.respond(1, error: .valueNotAllowed)]),
      (0, .read(3, other), [.respond(3)]),
    ])
  }

  @Test func `a new link keeps the state and the pending steps, a new process starts without them`() {
    let rows = [Row(.exactly([1]), states: ["a"], newState: "b", steps: [toOther([1], after: 5)])]
    let behavior = Behavior.responses(Responses(rows: rows))
    let profile = Profile(
      services: [
        Profile.Service(
          uuid: Fixture.uuid(0xFE10), states: ["a", "b"],
          characteristics: [Fixture.characteristic(1, behavior), Fixture.characteristic(2)])
      ])
    var machine = ProfileMachine(profile: profile, name: "test", seed: 1)
    _ = machine.handle(.write(1, command, [1]), at: .zero)
    #expect(machine.handle(.launched, at: .seconds(1)).contains(.schedule(.steps, at: .seconds(5))))
    #expect(machine.handle(.write(2, command, [1]), at: .seconds(2)) == [.respond(2, error: Responses.defaultError)])
    var restarted = ProfileMachine(profile: profile, name: "test", seed: 1)
    #expect(restarted.handle(.write(3, command, [1]), at: .zero).first == .respond(3))
  }

  @Test func `beyond the limit of pending steps a write is refused, and nothing changes`() {
    var trace = trace(Row(.any, steps: [toOther([1], after: 5)]))
    for number in 1...1024 { _ = trace.machine.handle(.write(number, command, [1]), at: .zero) }
    trace.run([
      (1, .write(2000, command, [2]), [.respond(2000, error: .insufficientResources)]),
      (1, .read(2001, command), [.respond(2001, [1])]),
    ])
  }

  @Test func `an update waits behind refused updates, those of other characteristics too`() {
    var trace = trace(Row(.any, steps: [toOther([1]), toOther([2]), Step(value: ValueTemplate([3]))]))
    trace.hasRoom = false
    trace.run([
      (0, .didSubscribe("A", command), []), (0, .didSubscribe("A", other), []),
      (0, .write(1, command, [1]), [.respond(1), .updateValue(other, [1])]),
      (0, .didUpdateValue(other, queued: true), [.updateValue(other, [2])]),
      (0, .didUpdateValue(other, queued: false), []),
      (1, .write(2, command, [1]), [.respond(2)]),
      (2, .isReadyToUpdateSubscribers, [.updateValue(other, [2])]),
      (2, .didUpdateValue(other, queued: true), [.updateValue(command, [3])]),
      (2, .didUpdateValue(command, queued: true), [.updateValue(other, [1])]),
      (2, .didUpdateValue(other, queued: true), [.updateValue(other, [2])]),
    ])
  }

  @Test func `a generator that starts with a subscription sends its first value an interval later`() {
    let id = command
    let behavior = Behavior.generator(
      Generator(
        format: .unsigned(bytes: 1), shape: .counter(start: 5, step: 1), interval: .seconds(2), start: .subscription))
    var trace = Trace(machine: Fixture.machine(Fixture.characteristic(1, behavior)))
    trace.run([
      (3, .read(1, id), [.respond(1, [5])]),
      (3.5, .didSubscribe("A", id), [.schedule(id, at: .seconds(5.5))]),
      (4, .read(2, id), [.respond(2, [5])]),
      (5.5, .due(id), [.updateValue(id, [5]), .schedule(id, at: .seconds(7.5))]),
      (6, .didSubscribe("B", id), []),
      (7.5, .due(id), [.updateValue(id, [6]), .schedule(id, at: .seconds(9.5))]),
      (8, .didUnsubscribe("A", id), []), (8, .didUnsubscribe("B", id), [.unschedule(id)]),
      (20, .read(3, id), [.respond(3, [5])]),
      (21, .didSubscribe("A", id), [.schedule(id, at: .seconds(23))]),
      (23, .due(id), [.updateValue(id, [5]), .schedule(id, at: .seconds(25))]),
    ])
  }

  @Test func `a dynamic characteristic may have an initial value`() {
    let id = command
    var first = Fixture.characteristic(1)
    first.initialValue = [4]
    var trace = Trace(machine: Fixture.machine(first))
    trace.run([
      (0, .read(1, id), [.respond(1, [4])]), (1, .write(2, id, [5]), [.respond(2)]),
      (2, .read(3, id), [.respond(3, [5])]),
    ])
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `with any sequence of messages steps are sent to subscribers only, and their deadlines are scheduled`(
    seed: UInt64
  ) {
    let pattern = WritePattern(bytes: [1], allowsRest: true, fields: ["rest": .init(offset: 0, count: nil)])
    let value = ValueTemplate(parts: [.field("rest"), .field("rest")])
    var trace = trace(
      states: ["a", "b"], Row(.exactly([1]), states: ["a"], newState: "b", cancels: true),
      Row(
        pattern, value: value, newState: "a",
        steps: [Step(value: value), toOther([1], after: 0.01), toOther([2], after: 0.02)]))
    var messages = RandomMessages(seed: seed)
    var due: Duration?
    for number in 0..<1_000 {
      let now = Duration.milliseconds(7 * number)
      let isDue = due.map { $0 <= now } ?? false
      if isDue { due = nil }
      for action in trace.handle(isDue ? .due(.steps) : messages.next(), at: now) {
        switch action {
        case .schedule(.steps, let time): due = time
        case .unschedule(.steps): due = nil
        case .send(.peripheral(_, .updateValue(let id, let value, _))):
          #expect([command, other].contains(id))
          #expect(value.count <= 524)
        case .send(.peripheral(_, .respond(_, _, let value))): #expect(value.count <= 524)
        case .send, .schedule, .unschedule: break
        }
      }
    }
  }
}
