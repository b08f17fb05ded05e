import BleperaLoop
import Testing

@testable import BleperaHostRadio

@Suite("The pending calls of a radio")
struct PendingCallsTests {
  private let log = Log()
  private let loop = VirtualLoop()

  /// Calls that take effect after that many seconds, each with its name.
  private func calls(_ calls: [(name: String, isChange: Bool)]) -> PendingCalls {
    var pending = PendingCalls()
    for (name, isChange) in calls {
      let log = log
      let cancelled: @Sendable () -> Void = { log.add("\(name) is cancelled") }
      pending.add(isChange: isChange, cancelled: isChange ? nil : cancelled) { number in
        loop.schedule(after: .seconds(number)) { log.add("\(name) takes effect") }
      }
    }
    return pending
  }

  @Test("A call is pending until it is taken, once")
  func taking() {
    var pending = calls([("a", false), ("b", true)])
    #expect(!pending.isEmpty && pending.hasChanges)
    let changes = [2, 2, 1].map { pending.take($0)?.isChange }
    #expect(changes == [true, nil, false] && pending.isEmpty)
  }

  @Test("Changes are counted among the calls", arguments: [([], false), ([false], false), ([false, true], true)])
  func changes(calls: [Bool], hasChanges: Bool) {
    let pending = self.calls(calls.map { ("a", $0) })
    #expect(pending.hasChanges == hasChanges && pending.isEmpty == calls.isEmpty)
  }

  @Test("Cancelled calls take no effect, and those with a waiter end in their order")
  func cancelling() {
    var pending = calls([("a", false), ("b", true), ("c", false), ("d", false)])
    loop.advance(by: .seconds(1))
    _ = pending.take(1)
    for body in pending.cancel() { body() }
    loop.advance(by: .seconds(9))
    #expect(log.take() == ["a takes effect", "c is cancelled", "d is cancelled"] && pending.isEmpty)
  }
}
