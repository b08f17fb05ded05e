import Testing

@testable import blepera_torture

@Suite struct OperationLogTests {
  typealias Step = (central: Int, operation: blepera_torture.Operation, from: Int, to: Int?)

  private func log(_ steps: [Step], systemEnd: Int? = nil) -> OperationLog {
    var log = OperationLog()
    for step in steps {
      let number = log.begin(step.operation, by: step.central, at: .milliseconds(step.from))
      if let end = step.to { log.end(number, nil, at: .milliseconds(end)) }
    }
    log.systemEnd = systemEnd.map { .milliseconds($0) }
    return log
  }

  private func expectation(_ steps: [Step], systemEnd: Int? = nil) -> OperationLog.Expectation? {
    log(steps, systemEnd: systemEnd).expectations[OperationLog.Subscription(central: 0, topic: 1)]
  }

  @Test func `nothing is there that was never asked for`() {
    #expect(expectation([(0, .subscribe(0), 1, 2), (1, .subscribe(1), 1, 2)]) == .absent)
  }

  @Test func `while the system lives the central's acknowledgement counts`() {
    #expect(expectation([(0, .subscribe(1), 1, 2)]) == .present)
    #expect(expectation([(0, .subscribe(1), 1, nil)]) == .either)
    #expect(expectation([(0, .subscribe(1), 1, 2), (0, .unsubscribe(1), 3, 4)]) == .absent)
    #expect(expectation([(0, .subscribe(1), 1, 2), (0, .unsubscribe(1), 3, nil)]) == .either)
  }

  @Test func `where the system was killed a later answer of the phone's is the witness`() {
    #expect(expectation([(0, .subscribe(1), 1, 2)], systemEnd: 9) == .either)
    #expect(expectation([(0, .subscribe(1), 1, 2), (1, .readCached, 3, 4)], systemEnd: 9) == .present)
    // Asked before, or answered after: neither says anything.
    #expect(expectation([(0, .subscribe(1), 2, 3), (1, .readCached, 1, 4)], systemEnd: 9) == .either)
    #expect(expectation([(0, .subscribe(1), 1, 2), (1, .readCached, 3, 10)], systemEnd: 9) == .either)
    #expect(expectation([(0, .subscribe(1), 1, 2), (1, .subscribe(0), 3, 4)], systemEnd: 9) == .either)
  }

  @Test func `an unsubscription is certain only for the last subscriber`() {
    let both: [Step] = [(0, .subscribe(1), 1, 2), (1, .subscribe(1), 1, 2)]
    #expect(expectation(both + [(0, .unsubscribe(1), 3, 4)]) == .either)
    #expect(expectation(both + [(0, .unsubscribe(1), 3, 4), (1, .unsubscribe(1), 5, 6)]) == .absent)
    // Which of the two was the last to leave nobody knows.
    #expect(expectation(both + [(0, .unsubscribe(1), 3, 6), (1, .unsubscribe(1), 4, 5)]) == .either)
  }

  @Test func `a description is what was acknowledged last, or what came after it`() {
    let steps: [Step] = [(0, .describe([1]), 1, 2), (0, .describe([2]), 3, 4), (0, .describe([3]), 5, 8)]
    #expect(log(steps).descriptions(of: 0) == [[3]])
    #expect(log(steps, systemEnd: 6).descriptions(of: 0) == [[2], [3]])
    #expect(log(steps).descriptions(of: 1) == [TortureProfile.firstDescription])
  }
}
