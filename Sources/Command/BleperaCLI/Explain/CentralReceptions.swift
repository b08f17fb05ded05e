import BleperaBluetooth
import BleperaProfile
import BleperaRules

/// The scan, connection and subscriptions of an app's central manager, for explanations.
struct ExplainedCentral: Equatable {
  let scan: ScanRequest
  let connection: Profile.Central.Connection?
  /// Whether the app subscribes to characteristics.
  let subscribes: Bool
  let manager: ManagerID

  init(_ central: Profile.Central) {
    scan = central.scan
    connection = central.connection
    subscribes = central.characteristics.contains(where: \.subscribes)
    manager = ManagerID(.central, ManagerID.Name(central.restoreIdentifier))
  }
}

/// The reception of an app's scan with the screen on or off.
struct ScanView: Equatable, Encodable {
  let screenOn: Bool
  /// The timing of the scan; nil if the scan discovers nothing.
  let timing: String?
  /// The timing of the scan at first after the screen was lit.
  let litTiming: String?
  /// Whether scan responses are requested.
  let active: Bool
  /// Whether overflow areas are read.
  let overflow: Bool

  init(_ app: ExplainedApp, _ scan: ScanRequest, isForeground: Bool, isScreenOn: Bool, _ rules: RuleSet) {
    let conditions = ScanConditions(isForeground: isForeground, isScreenOn: isScreenOn)
    let mayScan = isForeground || app.identity.hasCentralBackgroundMode
    let isEffective = mayScan && conditions.isEffective(scan, rules)
    let lit = ScanConditions(isForeground: isForeground, isScreenOn: isScreenOn, isLit: true).timing(rules)
    screenOn = isScreenOn
    timing = isEffective ? "\(conditions.timing(rules))" : nil
    litTiming = isEffective && lit != conditions.timing(rules) ? "\(lit)" : nil
    active = isEffective && conditions.isActive(rules)
    overflow = isEffective && conditions.readsOverflow(rules)
  }
}

/// The outcome of an event of a central manager, and the rule that determines it.
struct ReceivedEvent: Equatable {
  /// The kinds that a profile's app can get.
  static let kinds: [NoticeKind] = [.discovery, .connection, .disconnection, .notification, .power]

  enum Outcome: String, Encodable {
    /// The app receives the event at once.
    case app
    case woken
    /// The app receives the event when the user opens the app.
    case queued
    /// The system relaunches the app for the event.
    case relaunched
    case dropped
  }

  let kind: NoticeKind
  let outcome: Outcome
  /// Whether the user is shown an alert.
  let alert: Bool
  let rule: RuleID?

  init(_ kind: NoticeKind, of app: ExplainedApp, _ central: ExplainedCentral, _ policy: Policy) {
    var policy = policy
    let state = policy.state(of: app.id)
    var outcome: Outcome?
    let isAsked = central.connection?.options.asksForAlert(kind) == true
    alert = isAsked && policy.alertedApp(of: [app.id]) != nil
    let event = Policy.Event.notice(app.id, EventID(rawValue: 1), kind, manager: central.manager)
    for action in policy.handle(event, at: .zero) {
      switch action {
      case .relaunch: outcome = .relaunched
      case .queue: outcome = .queued
      case .drop: outcome = .dropped
      case .deliver: outcome = state == .suspended ? .woken : .app
      default: break
      }
    }
    self.kind = kind
    self.outcome = outcome ?? .dropped
    switch self.outcome {
    case .app: rule = nil
    case .woken: rule = .r5
    case .queued: rule = .r4
    case .relaunched: rule = .r8
    case .dropped: rule = .r7
    }
  }
}

extension ReceivedEvent: Encodable {
  private enum CodingKeys: CodingKey {
    case event, outcome, alert, rule
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(kind.rawValue, forKey: .event)
    try container.encode(outcome, forKey: .outcome)
    if alert { try container.encode(true, forKey: .alert) }
    try container.encodeIfPresent(rule.map { "\($0)" }, forKey: .rule)
  }
}

/// The events and advertisements that the central manager of one app receives.
struct AppReceptions: Equatable, Encodable {
  let app: String
  /// The scan with the screen on and, in the background, with the screen off.
  let scans: [ScanView]
  /// The events while the app runs; nil in a state in which the app is suspended at once.
  let events: [ReceivedEvent]?
  /// The events while the app is suspended; nil in the foreground.
  let eventsWhenSuspended: [ReceivedEvent]?
  /// The events after the system has terminated the app; nil in the foreground.
  let eventsWhenTerminated: [ReceivedEvent]?

  /// Returns nil for an app without the central role.
  init?(_ app: ExplainedApp, in state: ExplainedState, _ policy: Policy) {
    guard let central = app.central else { return nil }
    self.app = app.identifier
    let isForeground = state == .foreground
    let scans = (isForeground ? [true] : [true, false]).map {
      ScanView(app, central.scan, isForeground: isForeground, isScreenOn: $0, policy.rules)
    }
    self.scans = scans
    func events(_ policy: Policy) -> [ReceivedEvent] {
      ReceivedEvent.kinds.filter { kind in
        switch kind {
        case .discovery: scans.contains { $0.timing != nil }
        case .connection, .disconnection: central.connection != nil
        case .notification: central.subscribes
        // A relaunched app receives the state of Bluetooth at its relaunch, not the change.
        default: policy.state(of: app.id) != .notRunning
        }
      }.map { ReceivedEvent($0, of: app, central, policy) }
    }
    var policy = policy
    self.events = state == .suspended ? nil : events(policy)
    guard !isForeground else {
      (eventsWhenSuspended, eventsWhenTerminated) = (nil, nil)
      return
    }
    _ = policy.handle(.suspend(app.id), at: .zero)
    eventsWhenSuspended = events(policy)
    _ = policy.handle(.terminated(app.id, .memoryPressure), at: .zero)
    eventsWhenTerminated = events(policy)
  }

  var rules: [RuleID] {
    let all = [events, eventsWhenSuspended, eventsWhenTerminated].flatMap { $0 ?? [] }
    return (scans.count > 1 ? [.r16] : []) + (all.contains { $0.kind == .connection } ? [.r17] : [])
      + (all.contains(where: \.alert) ? [.r19] : []) + all.compactMap(\.rule)
  }
}
