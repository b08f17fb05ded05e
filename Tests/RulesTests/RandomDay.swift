import BleperaBluetooth
import BleperaRules

/// A random sequence of events on a system, the same for the same seed, played on a policy under an observer's eyes.
struct RandomDay {
  private var random: SplitMix64
  private var policy: Policy
  private(set) var observer: Observer
  private var now = Duration.zero
  private var lastEvent = 0
  /// No relaunch succeeds.
  private let isUnlucky: Bool
  /// No request is answered.
  private let isSlow: Bool
  private let apps = (1...3).map { AppID(rawValue: $0) }

  private static let ruleSets = IOSVersion.allCases.map { RuleSet($0) }
  /// Between events, and after a deadline has come.
  private static let steps: [Duration] = [0, 1, 300, 2000, 4500, 10000].map { .milliseconds($0) }
  private static let delays: [Duration] = [0, 0, 1, 700, 15000].map { .milliseconds($0) }
  private static let powers: [RadioPower] = [.on, .on, .on, .off, .unavailable]
  private static let kinds = NoticeKind.allCases
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
    observer = Observer(rules: policy.rules, requestTimeLimit: limit)
    isUnlucky = seed % 32 == 0
    isSlow = seed % 32 == 16
  }

  /// The first thing that went against a rule; nil if nothing did. The policy is looked at after every tenth event.
  mutating func fault(events: Int) -> String? {
    if random.below(4) == 0 { handle(preserved(apps[2])) }
    handle(.radio(.on))
    handle(.centrals(areConnected: true))
    for number in 1...events {
      handle(event())
      if number % 10 == 0 { observer.look(at: policy) }
    }
    for app in apps where observer.apps[app] != nil { handle(.terminated(app, .forceQuit)) }
    handle(.bluetoothSwitched(.settings))
    observer.end()
    return observer.fault
  }

  private mutating func handle(_ event: Policy.Event) {
    observer.observe(event, policy.handle(event, at: now), at: now)
  }

  /// Deadlines come at their time, late, or are overtaken by other events.
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
    case 10, 11, 12: return .startAdvertising(app, fields())
    case 13: return .stopAdvertising(app)
    case 9, 14, 15, 16, 17, 21:
      return .request(app, nextEvent(), Self.requestKinds[random.below(Self.requestKinds.count)])
    case 18, 19, 20: return .notice(app, nextEvent(), Self.kinds[random.below(Self.kinds.count)])
    case 22 where !isSlow:
      return random.below(2) == 0 ? .terminated(app, .memoryPressure) : .request(app, nextEvent(), .write)
    case 23 where !isSlow: return eventOfPhone()
    default:
      guard !observer.owed.isEmpty, !isSlow else { return .request(app, nextEvent(), .read) }
      let request = observer.owed[random.below(observer.owed.count)]
      return .answered(request.app, request.id)
    }
  }

  private mutating func nextEvent() -> EventID {
    lastEvent += 1
    return EventID(rawValue: lastEvent)
  }

  /// What becomes of a relaunch, soon.
  private mutating func eventOfRelaunch(_ app: AppID) -> Policy.Event? {
    guard let seen = observer.apps[app] else { return nil }
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
    // One that comes back is mostly what it was.
    if let seen = observer.apps[app], random.below(8) > 0 { return .launched(app, seen.identity, into: mode) }
    var identity = description()
    // The observer follows one manager an app: R09OrderTests has several.
    if let seen = observer.apps[app] { identity.restoreIdentifier = seen.identity.restoreIdentifier }
    return .launched(app, identity, into: mode)
  }

  private mutating func preserved(_ app: AppID) -> Policy.Event {
    let fields = fields()
    let description = AppIdentity(name: "app", hasBackgroundMode: true, isRestorable: true)
    return .preserved(app, description, requested: fields, effective: fields, cause: .crash)
  }

  private mutating func description() -> AppIdentity {
    AppIdentity(
      name: "app", hasBackgroundMode: random.below(3) > 0, isRestorable: random.below(3) > 0,
      usesAccessorySetup: random.below(2) == 0)
  }

  private mutating func fields() -> AdvertisementData {
    AdvertisementData(
      localName: Self.names[random.below(Self.names.count)],
      serviceUUIDs: (0..<random.below(3)).map { _ in Self.uuids[random.below(Self.uuids.count)] })
  }
}

extension SplitMix64 {
  /// From 0.
  fileprivate mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
