import Policy
import Testing

@Suite("What never happens")
struct InvariantTests {
  /// 10,000 days in all, every sixteenth of them a long one.
  @Test("Whatever happens on a system, every rule holds", arguments: 0..<4) func days(part: UInt64) {
    for seed in part * 2500..<(part + 1) * 2500 {
      var day = RandomDay(seed: seed)
      let fault = day.fault(events: seed % 16 == 0 ? 50 : 4)
      #expect(fault == nil, "day \(seed)")
    }
  }

  @Test("The oldest event is dropped when too many wait, and the count says so") func fullQueue() {
    var policy = Policy(rules: .newest)
    let app = AppID(rawValue: 1)
    let limit = policy.rules.eventQueueLimit.value
    _ = policy.handle(.radio(.on), at: .zero)
    _ = policy.handle(
      .launched(app, AppDescription(name: "app", hasBackgroundMode: false), into: .foreground), at: .zero)
    _ = policy.handle(.suspend(app), at: .zero)
    for number in 1...limit {
      let actions = policy.handle(.notice(app, EventID(rawValue: number), .subscribe), at: .seconds(1))
      #expect(actions == [.queue(app, EventID(rawValue: number))])
    }
    for number in 1...2 {
      let last = EventID(rawValue: limit + number)
      let actions = policy.handle(.notice(app, last, .unsubscribe), at: .seconds(2))
      #expect(actions == [.queue(app, last), .drop(app, EventID(rawValue: number), .queueFull)])
    }
    #expect(policy.status(of: app, at: .seconds(2))?.dropped == 2)
    #expect(policy.status(of: app, at: .seconds(2))?.queueLength == limit)
    let told = policy.handle(.toForeground(app), at: .seconds(3))
    #expect(told.dropFirst() == (3...limit + 2).map { .deliver(app, EventID(rawValue: $0)) }[...])
  }

  @Test("Time that goes back is time that stands still") func clock() {
    var policy = Policy(rules: .newest)
    let app = AppID(rawValue: 1)
    _ = policy.handle(.radio(.on), at: .seconds(100))
    _ = policy.handle(
      .launched(app, AppDescription(name: "app", hasBackgroundMode: false), into: .foreground), at: .seconds(50))
    #expect(policy.handle(.toBackground(app), at: .seconds(1)).last == .schedule(at: .seconds(105)))
  }
}
