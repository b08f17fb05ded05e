import GATT
import Policy

/// A random sequence of events on a system, the same for the same seed, played on a policy under an observer's eyes.
struct RandomDay {
  private var random: Splitmix
  private var policy: Policy
  private var observer: Observer
  private var now = Duration.zero
  private var lastEvent = 0
  private let apps = (1...3).map { AppID(rawValue: $0) }

  private static let ruleSets = IOSVersion.allCases.map { RuleSet($0) }
  private static let names = [nil, "Fred", "LightBlue and more", "Zoë"]
  private static let uuids = ["180D", "180F", "180A", "0000FD6F", "L1", "L2", "L3"].map(TraceWord.uuid)

  init(seed: UInt64) {
    random = Splitmix(state: seed)
    policy = Policy(rules: Self.ruleSets[Int(seed % UInt64(Self.ruleSets.count))])
    observer = Observer(rules: policy.rules)
  }

  /// What went against a rule; nil if nothing did.
  mutating func fault(events: Int) -> String? {
    handle(.radio(.on))
    for _ in 0..<events {
      handle(event())
      if let fault = observer.fault { return fault }
    }
    for app in apps { handle(.ended(app, .reboot)) }
    observer.end()
    return observer.fault
  }

  private mutating func handle(_ event: Policy.Event) {
    let actions = policy.handle(event, at: now)
    observer.observe(event, actions, policy, at: now)
  }

  /// Deadlines come at their time, late, or are overtaken by other events.
  private mutating func event() -> Policy.Event {
    if let deadline = policy.nextDeadline, Bool.random(using: &random) {
      now = max(now, deadline) + .milliseconds([0, 0, 1, 700, 15000].randomElement(using: &random) ?? 0)
      return .deadline
    }
    now += .milliseconds([0, 1, 300, 2000, 4500, 10000].randomElement(using: &random) ?? 0)
    let app = apps.randomElement(using: &random) ?? apps[0]
    switch Int.random(in: 0..<24, using: &random) {
    case 0, 1: return launch(app)
    case 2: return Int.random(in: 0..<4, using: &random) == 0 ? .ended(app, .crash) : .toBackground(app)
    case 3: return .toForeground(app)
    case 4, 5: return .toBackground(app)
    case 6: return .suspend(app)
    case 7: return Bool.random(using: &random) ? .locked : .unlocked
    case 8: return .radio([.on, .on, .on, .off, .unavailable].randomElement(using: &random) ?? .on)
    case 9: return .bluetooth(isOn: Int.random(in: 0..<4, using: &random) > 0)
    case 10, 11, 12: return .startAdvertising(app, fields())
    case 13: return .stopAdvertising(app)
    case 14, 15, 16, 17: return .request(app, nextEvent(), Bool.random(using: &random) ? .read : .write)
    case 18, 19, 20: return .notice(app, nextEvent(), NoticeKind.allCases.randomElement(using: &random) ?? .callback)
    default:
      guard let request = observer.owed.randomElement(using: &random) else { return .deadline }
      return .answered(request.app, request.id)
    }
  }

  private mutating func nextEvent() -> EventID {
    lastEvent += 1
    return EventID(rawValue: lastEvent)
  }

  private mutating func launch(_ app: AppID) -> Policy.Event {
    let description = AppDescription(name: "app", hasBackgroundMode: Int.random(in: 0..<3, using: &random) > 0)
    return .launched(app, description, into: Bool.random(using: &random) ? .foreground : .leftForeground)
  }

  private mutating func fields() -> AdvertisedFields {
    let count = Int.random(in: 0...5, using: &random)
    return AdvertisedFields(
      localName: Self.names.randomElement(using: &random) ?? nil,
      serviceUUIDs: (0..<count).compactMap { _ in Self.uuids.randomElement(using: &random) })
  }
}
