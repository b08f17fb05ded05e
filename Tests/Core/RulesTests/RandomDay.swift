import BleperaBluetooth
import BleperaRules

/// A random sequence of events for a policy, checked by an `InvariantChecker`; equal seeds give equal sequences.
struct RandomDay {
  private var random: SplitMix64
  private var policy: Policy
  private(set) var checker: InvariantChecker
  private var now = Duration.zero
  private var lastEvent = 0
  /// No relaunch succeeds.
  private let isUnlucky: Bool
  /// No request is answered.
  private let isSlow: Bool
  private let apps = (1...3).map { AppID(rawValue: $0) }

  private static let ruleSets = IOSVersion.allCases.map { RuleSet($0) }
  /// The time between events, and the delay of deadlines.
  private static let steps: [Duration] = [0, 1, 300, 2000, 4500, 10000].map { .milliseconds($0) }
  private static let delays: [Duration] = [0, 0, 1, 700, 15000].map { .milliseconds($0) }
  private static let powers: [RadioPower] = [.on, .on, .on, .off, .unavailable]
  /// Mostly those of peripheral managers.
  private static let kinds =
    NoticeKind.allCases + Array(repeating: [.subscribe, .unsubscribe, .callback], count: 12).joined()
  private static let requestKinds = RequestKind.allCases
  private static let causes: [TerminationCause] = [
    .crash, .crash, .memoryPressure, .memoryPressure, .forceQuit, .reboot,
  ]
  private static let switches = BluetoothSwitch.allCases
  private static let names = [nil, "Fred", "LightBlue and more", "Zoë"]
  private static let uuids = ["180D", "180F", "180A", "0000FD6F", "L1", "L2", "L3"].map(TraceWord.uuid)

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
    let limit = Duration.milliseconds(4500)
    policy = Policy(rules: Self.ruleSets[Int(seed % UInt64(Self.ruleSets.count))], requestTimeLimit: limit)
    checker = InvariantChecker(rules: policy.rules, requestTimeLimit: limit)
    isUnlucky = seed % 32 == 0
    isSlow = seed % 32 == 16
  }

  /// Returns the first violation of a rule; nil where there is none. The policy is compared after every tenth event.
  mutating func violation(events: Int) -> String? {
    if random.below(4) == 0 { for event in preserved(apps[2]) { handle(event) } }
    handle(.radio(.on))
    handle(.centrals(areConnected: true))
    for number in 1...events {
      handle(event())
      if number % 10 == 0 { checker.compare(with: policy) }
    }
    for app in apps where checker.apps[app] != nil { handle(.terminated(app, .forceQuit)) }
    handle(.bluetoothSwitched(.settings))
    checker.end()
    return checker.violation
  }

  private mutating func handle(_ event: Policy.Event) {
    for event in [event] + event.next { checker.observe(event, policy.handle(event, at: now), at: now) }
  }

  private func manager(of app: AppID) -> ManagerID { checker.apps[app]?.identity.manager ?? .only }

  /// Deadlines are sent on time, late, or after other events.
  private mutating func event() -> Policy.Event {
    if let deadline = policy.nextDeadline, random.below(2) == 0 {
      now = max(now, deadline) + Self.delays[random.below(Self.delays.count)]
      return .deadline
    }
    now += Self.steps[random.below(Self.steps.count)]
    let app = apps[random.below(apps.count)]
    if let event = eventOfRelaunch(app) { return event }
    switch random.below(26) {
    case 0, 1: return launch(app, random.below(2) == 0 ? .foreground : .leftForeground)
    case 2:
      return random.below(4) == 0 ? .terminated(app, Self.causes[random.below(Self.causes.count)]) : .toBackground(app)
    case 3: return .toForeground(app)
    case 4, 5: return .toBackground(app)
    case 6: return .suspend(app)
    case 7: return random.below(2) == 0 ? .locked : .unlocked
    case 8: return .radio(Self.powers[random.below(Self.powers.count)])
    case 10, 11, 12: return .startAdvertising(app, fields(), by: manager(of: app))
    case 13: return .stopAdvertising(app, by: manager(of: app))
    case 9, 14, 15, 16, 17, 21:
      return request(app, Self.requestKinds[random.below(Self.requestKinds.count)])
    case 18, 19, 20:
      return .notice(app, nextEvent(), Self.kinds[random.below(Self.kinds.count)], manager: manager(of: app))
    case 22 where !isSlow:
      return random.below(2) == 0 ? .terminated(app, .memoryPressure) : request(app, .write)
    case 23 where !isSlow: return eventOfPhone()
    default:
      guard !checker.pendingRequests.isEmpty, !isSlow else { return request(app, .read) }
      let request = checker.pendingRequests[random.below(checker.pendingRequests.count)]
      return .answered(request.app, request.id)
    }
  }

  private mutating func request(_ app: AppID, _ kind: RequestKind) -> Policy.Event {
    .request(app, nextEvent(), kind, manager: manager(of: app))
  }

  private mutating func nextEvent() -> EventID {
    lastEvent += 1
    return EventID(rawValue: lastEvent)
  }

  /// The result of a relaunch, soon after it.
  private mutating func eventOfRelaunch(_ app: AppID) -> Policy.Event? {
    guard let seen = checker.apps[app] else { return nil }
    if isUnlucky, seen.relaunch.isRelaunchUnconfirmed { return .terminated(app, .crash) }
    guard seen.relaunch.inProgressSince != nil, isUnlucky || random.below(2) == 0 else { return nil }
    return random.below(isUnlucky ? 2 : 4) == 0 ? .relaunchFailed(app) : launch(app, .background)
  }

  private mutating func eventOfPhone() -> Policy.Event {
    switch random.below(4) {
    case 0: .rebooted
    case 1: .unlocked
    default: .bluetoothSwitched(Self.switches[random.below(Self.switches.count)])
    }
  }

  private mutating func launch(_ app: AppID, _ mode: LaunchMode) -> Policy.Event {
    // A relaunched app mostly has its former identity.
    if let seen = checker.apps[app], random.below(8) > 0 { return .launched(app, seen.identity, into: mode) }
    var identity = description()
    // The checker follows one manager an app: R09OrderTests has several.
    if let seen = checker.apps[app] { identity.bundleIdentifier = seen.identity.bundleIdentifier }
    return .launched(app, identity, into: mode)
  }

  private mutating func preserved(_ app: AppID) -> [Policy.Event] {
    let fields = fields()
    let description = AppIdentity(name: "app", hasBackgroundMode: true, isRestorable: true)
    return [
      .preserved(app, description, cause: .crash),
      .managerCreated(app, description.manager, requested: fields, effective: fields),
    ]
  }

  private mutating func description() -> AppIdentity {
    AppIdentity(
      name: "app", hasBackgroundMode: random.below(3) > 0, isCentral: random.below(3) > 0,
      isRestorable: random.below(3) > 0,
      usesAccessorySetup: random.below(2) == 0)
  }

  private mutating func fields() -> AdvertisementData {
    AdvertisementData(
      localName: Self.names[random.below(Self.names.count)],
      serviceUUIDs: (0..<random.below(3)).map { _ in Self.uuids[random.below(Self.uuids.count)] })
  }
}

extension SplitMix64 {
  /// A random number from 0.
  fileprivate mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
