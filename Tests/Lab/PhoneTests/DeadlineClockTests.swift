import Testing

@testable import BleperaPhone

@Suite("A timer ends at the next deadline or before")
struct DeadlineClockTests {
  /// The deadlines that follow one another, and those for which a timer is started.
  private static let deadlines: [([Int?], [Int])] = [
    ([nil], []), ([5], [5]), ([5, 7, 9], [5]), ([9, 7, 8, 3], [9, 7, 3]), ([5, nil, 5], [5]), ([nil, 4, 4], [4]),
  ]

  @Test("A timer is started for an earlier deadline only", arguments: deadlines)
  func timers(deadlines: [Int?], started: [Int]) {
    let timers = CountedTimers()
    var clock = DeadlineClock()
    var ends: [Duration] = []
    for deadline in deadlines {
      clock.deadline = deadline.map { .seconds($0) }
      clock.startTimer {
        ends.append($0)
        return timers.start()
      }
    }
    #expect(ends == started.map { .seconds($0) })
  }

  @Test("A timer that ends before the deadline is followed by one for it")
  func laterDeadline() {
    let timers = CountedTimers()
    var clock = DeadlineClock()
    clock.deadline = .seconds(5)
    clock.startTimer { _ in timers.start() }
    clock.deadline = .seconds(9)
    var areReached = [clock.timerEnded(at: .seconds(5))]
    clock.startTimer { _ in timers.start() }
    #expect(timers.started == 2)
    areReached.append(clock.timerEnded(at: .seconds(9)))
    clock.deadline = nil
    areReached.append(clock.timerEnded(at: .seconds(10)))
    #expect(areReached == [false, true, false])
  }
}
