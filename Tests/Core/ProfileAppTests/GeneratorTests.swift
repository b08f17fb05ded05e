import BleperaAppLink
import BleperaBluetooth
import BleperaProfileApp
import BleperaPropertyLists
import Testing

@testable import BleperaProfile

@Suite struct GeneratorTests {
  private let id = Fixture.id(0)

  @Test(
    arguments: [
      (0, 0), (0.999, 0), (1, 1), (1.001, 1), (3.5, 3), (255, 255), (256, 0), (86_400 * 365, 0x80), (-5, 0),
    ] as [(Double, UInt8)])
  func `a value that is read depends on the time`(seconds: Double, value: UInt8) {
    var trace = Trace(machine: Fixture.machine(Fixture.characteristic(1, Fixture.counter(prefix: [6]))))
    #expect(trace.value(0, at: seconds) == [6, value])
    #expect(trace.value(0, at: seconds) == [6, value])
  }

  @Test func `a long read of a generator returns the bytes after the offset`() {
    var trace = Trace(machine: Fixture.machine(Fixture.characteristic(1, Fixture.counter(prefix: [6]))))
    trace.run([
      (2, .read(1, id, offset: 1), [.respond(1, [2])]), (2, .read(2, id, offset: 2), [.respond(2)]),
      (2, .read(3, id, offset: 3), [.respond(3, error: .invalidOffset)]),
    ])
  }

  @Test func `updates are sent at whole intervals, whenever the central subscribed`() {
    var trace = Trace(machine: Fixture.machine(Fixture.characteristic(1, Fixture.counter())))
    trace.run([
      (2.3, .didSubscribe("A", id), [.schedule(id, at: .seconds(3))]),
      (3, .due(id), [.updateValue(id, [3]), .schedule(id, at: .seconds(4))]),
      (3, .read(1, id), [.respond(1, [3])]),
      (4.001, .due(id), [.updateValue(id, [4]), .schedule(id, at: .seconds(5))]),
    ])
  }

  @Test func `a second subscriber does not double the updates, and the last to leave stops them`() {
    var trace = Trace(machine: Fixture.machine(Fixture.characteristic(1, Fixture.counter())))
    trace.run([
      (0, .didSubscribe("A", id), [.schedule(id, at: .seconds(1))]),
      (0.5, .didSubscribe("B", id), []), (0.6, .didSubscribe("B", id), []),
      (1, .due(id), [.updateValue(id, [1]), .schedule(id, at: .seconds(2))]),
      (1.5, .didUnsubscribe("A", id), []), (1.6, .didUnsubscribe("A", id), []),
      (2, .due(id), [.updateValue(id, [2]), .schedule(id, at: .seconds(3))]),
      (2.5, .didUnsubscribe("B", id), [.unschedule(id)]),
      (3, .due(id), []),
      (3.5, .didUnsubscribe("B", id), []),
      (7.5, .didSubscribe("A", id), [.schedule(id, at: .seconds(8))]),
      (8, .due(id), [.updateValue(id, [8]), .schedule(id, at: .seconds(9))]),
    ])
  }

  private static let shapes: [(shape: Generator.Shape, values: [UInt8])] = [
    (.counter(start: 0, step: 1), [1, 2, 3, 4]), (.ramp(minimum: 10, maximum: 12, step: 1), [11, 12, 10, 11]),
    (.sequence([[7], [8], [9]]), [8, 9, 7, 8]),
  ]

  @Test(arguments: shapes)
  func `a late deadline skips no value, and reads are never ahead`(shape: Generator.Shape, values: [UInt8]) {
    let generator = Generator(format: .unsigned(bytes: 1), shape: shape)
    var trace = Trace(machine: Fixture.machine(Fixture.characteristic(1, .generator(generator))))
    trace.run([
      (0, .didSubscribe("A", id), [.schedule(id, at: .seconds(1))]),
      (4.5, .read(1, id), [.respond(1, [values[0]])]),
      (4.7, .due(id), [.updateValue(id, [values[0]]), .schedule(id, at: .seconds(5))]),
      (4.8, .read(2, id), [.respond(2, [values[0]])]),
      (5, .due(id), [.updateValue(id, [values[1]]), .schedule(id, at: .seconds(6))]),
      (8, .due(id), [.updateValue(id, [values[2]]), .schedule(id, at: .seconds(9))]),
      (8.5, .didUnsubscribe("A", id), [.unschedule(id)]),
      (8.9, .read(3, id), [.respond(3, [values[2]])]),
      (9, .read(4, id), [.respond(4, [values[3]])]),
    ])
  }

  @Test func `thousands of late deadlines skip no value`() {
    var trace = Trace(machine: Fixture.machine(Fixture.characteristic(1, Fixture.counter(every: .milliseconds(20)))))
    var random = SplitMix64(seed: 1)
    var actions = trace.handle(.didSubscribe("A", id), at: .zero)
    for count in 1...5_000 {
      guard case .schedule(_, let deadline)? = actions.last else {
        Issue.record("no deadline: \(actions)")
        return
      }
      let delay = Int.random(in: 0..<4, using: &random) == 0 ? Int.random(in: 1...90, using: &random) : 0
      actions = trace.handle(.due(id), at: deadline + .milliseconds(delay))
      #expect(actions.first == .updateValue(id, [UInt8(truncatingIfNeeded: count)]))
    }
  }

  @Test func `a wave has the value of its time`() {
    let wave = Generator(format: .unsigned(bytes: 1), shape: .sine(minimum: 0, maximum: 100, period: 4))
    var trace = Trace(machine: Fixture.machine(Fixture.characteristic(1, .generator(wave))))
    trace.run([
      (0, .didSubscribe("A", id), [.schedule(id, at: .seconds(1))]),
      (1, .due(id), [.updateValue(id, [100]), .schedule(id, at: .seconds(2))]),
      (3.7, .due(id), [.updateValue(id, [0]), .schedule(id, at: .seconds(4))]),
      (3.8, .read(1, id), [.respond(1, [0])]),
    ])
  }

  @Test(arguments: [Duration.milliseconds(20), .milliseconds(100), .milliseconds(333), .seconds(86_400)])
  func `at each deadline, also after a long time, the update has the value that a read returns`(interval: Duration) {
    var trace = Trace(machine: Fixture.machine(Fixture.characteristic(1, Fixture.counter(every: interval))))
    for start in [0 as Int128, 12_345, 1_000_000_007] {
      let begin = Duration(attoseconds: interval.attoseconds * start)
      var actions = trace.handle(.didSubscribe("A", id), at: begin)
      for step in start + 1...start + 50 {
        let deadline = Duration(attoseconds: interval.attoseconds * step)
        #expect(actions.last == .schedule(id, at: deadline))
        actions = trace.handle(.due(id), at: deadline)
        #expect(actions.first == .updateValue(id, [UInt8(truncatingIfNeeded: step)]))
        #expect(
          trace.handle(.read(1, id), at: deadline) == [.respond(1, [UInt8(truncatingIfNeeded: step)])])
      }
      _ = trace.handle(.didUnsubscribe("A", id), at: begin)
    }
  }

  @Test func `each characteristic has its own deadline`() {
    let slow = Fixture.id(1)
    var trace = Trace(
      machine: Fixture.machine(
        Fixture.characteristic(1, Fixture.counter()), Fixture.characteristic(2, Fixture.counter(every: .seconds(3)))))
    trace.run([
      (0, .didSubscribe("A", id), [.schedule(id, at: .seconds(1))]),
      (0, .didSubscribe("A", slow), [.schedule(slow, at: .seconds(3))]),
      (1, .due(id), [.updateValue(id, [1]), .schedule(id, at: .seconds(2))]),
      (1.5, .didUnsubscribe("A", id), [.unschedule(id)]),
      (3, .due(slow), [.updateValue(slow, [1]), .schedule(slow, at: .seconds(6))]),
    ])
  }

  @Test func `two random generators differ, unless the profile gives them one seed`() {
    func courses(_ behavior: Behavior) -> [[[UInt8]]] {
      let machine = Fixture.machine(Fixture.characteristic(1, behavior), Fixture.characteristic(2, behavior))
      var trace = Trace(machine: machine)
      return [0, 1].map { index in (0..<20).map { trace.value(index, at: Double($0)) } }
    }
    let free = courses(Fixture.random())
    for shift in 0..<10 { #expect(Array(free[0].dropFirst(shift)) != Array(free[1].dropLast(shift))) }
    for shift in 0..<10 { #expect(Array(free[1].dropFirst(shift)) != Array(free[0].dropLast(shift))) }
    #expect(Set(free.joined()).count == 40)
    let seeded = courses(Fixture.random(seed: 7))
    #expect(seeded[0] == seeded[1])
  }

  @Test func `each launch has other random values`() {
    func course(seed: UInt64) -> [[UInt8]] {
      var trace = Trace(machine: Fixture.machine(Fixture.characteristic(1, Fixture.random()), seed: seed))
      return (0..<5).map { trace.value(0, at: Double($0)) }
    }
    #expect(course(seed: 1) == course(seed: 1))
    #expect(course(seed: 1) != course(seed: 2))
  }

  @Test(arguments: [Duration.zero, .seconds(-1)])
  func `a generator without a positive interval stays at its first value`(interval: Duration) {
    var trace = Trace(machine: Fixture.machine(Fixture.characteristic(1, Fixture.counter(every: interval))))
    trace.run([(5, .read(1, id), [.respond(1, [0])]), (5, .didSubscribe("A", id), [])])
  }
}
