import BleperaBluetooth
import BleperaRules
import Testing

@Suite("Invariants of the rules")
struct InvariantTests {
  /// 10,000 days in all, of 7 events, every twentieth of 60.
  @Test("Random sequences of events violate no rule", arguments: 0..<4) func days(part: UInt64) {
    var reasons: Set<StateReason> = []
    var refusals: Set<RuleID?> = []
    var counts: [String: Int] = [:]
    for seed in part * 2500..<(part + 1) * 2500 {
      var day = RandomDay(seed: seed)
      if let violation = day.violation(events: seed % 20 == 0 ? 60 : 7) { Issue.record("day \(seed): \(violation)") }
      reasons.formUnion(day.checker.reasons)
      refusals.formUnion(day.checker.refusals)
      counts.merge(day.checker.counts, uniquingKeysWith: +)
    }
    #expect(Self.reasons.subtracting(reasons).isEmpty)
    #expect(refusals == [nil, .r4, .r6, .r8, .r14, .r15])
    #expect(counts.values.allSatisfy { $0 > 3 } && counts.count == 3, "\(counts)")
  }

  /// The reasons that the sequences must cause; otherwise they are too short to exercise the rules.
  private static let reasons: Set<StateReason> = [
    .userBroughtToFront, .userLeft, .userSuspended, .screenLocked, .screenUnlocked, .launchFinished,
    .gracePeriodExpired,
    .wokenForRequest(.read), .wokenForRequest(.write), .wokenForRequest(.command), .wokenForNotice(.subscribe),
    .wokenForNotice(.unsubscribe), .relaunched, .wakeBudgetExpired, .overran, .terminated(.crash),
    .terminated(.memoryPressure),
    .terminated(.forceQuit), .terminated(.reboot), .terminated(.exceededLimits),
  ]

  private let app = AppID(rawValue: 1)

  private func suspended() -> Policy {
    var policy = Policy(rules: .newest)
    _ = policy.handle(.radio(.on), at: .zero)
    _ = policy.launch(app, AppIdentity(name: "app", hasBackgroundMode: false))
    _ = policy.handle(.suspend(app), at: .zero)
    return policy
  }

  @Test("Events that follow each other at once make one plan, that of the last event") func onePlan() {
    var apart = Policy(rules: .newest)
    let apps = [app, AppID(rawValue: 2)]
    _ = apart.handle(.radio(.on), at: .zero)
    for app in apps {
      let name = "app \(app.rawValue)"
      _ = apart.launch(app, AppIdentity(name: name, hasBackgroundMode: true))
      _ = apart.handle(.startAdvertising(app, AdvertisementData(localName: name)), at: .zero)
    }
    var together = apart
    let events: [Policy.Event] = [.toForeground(app), .toBackground(app), .toForeground(apps[1]), .finished(app)]
    func plans(_ actions: [Policy.Action]) -> [AdvertisementPlan] {
      actions.compactMap { if case .air(let plan) = $0 { plan } else { nil } }
    }
    let former = together.plan
    let all = events.flatMap { plans(apart.handle($0, at: .seconds(1))) }
    #expect(all.count == 3 && all[0] != former)
    #expect(events.dropLast().flatMap { plans(together.handle($0, at: .seconds(1), isLast: false)) }.isEmpty)
    #expect(together.plan == former)
    let last = plans(together.handle(events[3], at: .seconds(1)))
    #expect(together.plan == apart.plan)
    #expect(last == (together.plan.phone == former.phone ? [] : [together.plan]))
  }

  @Test("A full queue drops the oldest event that wakes apps, and counts it") func fullQueue() {
    var policy = suspended()
    let limit = policy.rules.eventQueueLimit.value
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
    let delivered = policy.handle(.toForeground(app), at: .seconds(3))
    #expect(delivered.dropFirst() == (3...limit + 2).map { .deliver(app, EventID(rawValue: $0)) }[...])
  }

  @Test("A terminated app keeps each connection and loss, and the last 1,024 discoveries and values") func keptOfPeers()
  {
    var policy = Policy(rules: .newest)
    let identity = AppIdentity(name: "app", hasBackgroundMode: true, isCentral: true, isRestorable: true)
    for event in [.launched(app, identity, into: .foreground), .managerCreated(app, identity.manager)]
      + [.terminated(app, .crash)] as [Policy.Event]
    { _ = policy.handle(event, at: .zero) }
    var dropped: [EventID] = []
    for number in 0...1024 {
      let kind: NoticeKind = number == 0 ? .disconnection : number.isMultiple(of: 2) ? .notification : .discovery
      for number in number == 1024 ? [number, number + 1] : [number] {
        let event = Policy.Event.notice(app, EventID(rawValue: number), kind, manager: identity.manager)
        for case .drop(_, let id, .queueFull) in policy.handle(event, at: .zero) { dropped.append(id) }
      }
    }
    #expect(dropped == [EventID(rawValue: 1)])
    #expect(policy.keptNotices(of: app).first?.kind == .disconnection)
    #expect(policy.keptNotices(of: app).count == 1025)
  }

  @Test("Queued callbacks are all kept in order and do not count toward the limit") func keptCallbacks() {
    var policy = suspended()
    let limit = policy.rules.eventQueueLimit.value
    let ids = (0...2 * limit + 1).map { EventID(rawValue: $0) }
    var dropped: [EventID] = []
    for id in ids {
      let kind: NoticeKind = id.rawValue.isMultiple(of: 2) ? .callback : .subscribe
      let actions = policy.handle(.notice(app, id, kind), at: .seconds(1))
      #expect(actions.first == .queue(app, id))
      for case .drop(_, let id, .queueFull) in actions { dropped.append(id) }
    }
    #expect(dropped == [ids[1]])
    #expect(policy.handle(.notice(app, EventID(rawValue: -1), .callback), at: .seconds(1)).count == 1)
    #expect(policy.status(of: app, at: .seconds(2))?.dropped == 1)
    #expect(policy.status(of: app, at: .seconds(2))?.queueLength == ids.count)
    let delivered = policy.handle(.toForeground(app), at: .seconds(3)).dropFirst().dropLast()
    #expect(delivered == ids.filter { $0 != ids[1] }.map { .deliver(app, $0) }[...])
  }

  @Test("For a terminated app queued writes without response count toward the limit, and requests do not")
  func fullQueueOfTerminatedApp() {
    var policy = Policy(rules: .newest, requestTimeLimit: .milliseconds(4500))
    let description = AppIdentity(name: "app", hasBackgroundMode: true, isRestorable: true)
    _ = policy.handle(.radio(.on), at: .zero)
    _ = policy.handle(
      [
        .preserved(app, description, hasSubscribers: true, cause: .crash),
        .managerCreated(app, description.manager),
      ], at: .zero)
    let limit = policy.rules.eventQueueLimit.value
    var dropped: [Policy.Action] = []
    for number in 0..<limit + 2 {
      let id = EventID(rawValue: number)
      let event: Policy.Event =
        number == 0
        ? .request(app, id, .read, manager: description.manager)
        : number % 2 == 0
          ? .request(app, id, .command, manager: description.manager)
          : .notice(app, id, .subscribe, manager: description.manager)
      dropped += policy.handle(event, at: .seconds(1)).filter { if case .drop = $0 { true } else { false } }
    }
    #expect(dropped == [.drop(app, EventID(rawValue: 1), .queueFull)])
    #expect(policy.status(of: app, at: .seconds(1))?.dropped == 1)
    #expect(policy.status(of: app, at: .seconds(1))?.queueLength == limit + 1)
    let delivered = policy.launch(app, description, into: .background, at: .seconds(2))
    let expected = ([0] + (2..<limit + 2)).map { Policy.Action.deliver(app, EventID(rawValue: $0)) }
    #expect(delivered == [.restore(app), .setState(app, .background, .relaunched)] + expected)
  }

  @Test("A time before the last event counts as the time of the last event") func clock() {
    var policy = Policy(rules: .newest)
    _ = policy.handle(.radio(.on), at: .seconds(100))
    _ = policy.launch(app, AppIdentity(name: "app", hasBackgroundMode: false), at: .seconds(50))
    #expect(policy.handle(.toBackground(app), at: .seconds(1)).last == .schedule(at: .seconds(105)))
  }
}
