import GATT
import Policy

/// Knows of a system only what goes into the policy and what comes out, and says what must never be.
struct Observer {
  struct Seen {
    var description: AppDescription
    var state: AppState
    var asked: AdvertisedFields?
    /// What it may have on the air (R12).
    var allowed: Set<BluetoothUUID> = []
    /// Whether its next start counts as one in front.
    var startsAsInFront: Bool
    /// Events that wait, in order.
    var queue: [EventID] = []
    var lastTold = 0
  }

  struct Debt {
    let app: AppID
    let id: EventID
  }

  /// What has become of an event: a request is told and then answered or refused, or refused; a notice is told or dropped.
  enum Fate { case waiting, told, over }

  private let mayStartInBackground: Bool
  private let limit: Duration
  private(set) var fault: String?
  private(set) var apps: [AppID: Seen] = [:]
  /// Requests to which apps owe an answer, refused or not.
  private(set) var owed: [Debt] = []
  private(set) var plan = AdvertisementPlan.silent
  private(set) var power = RadioPower.unavailable
  /// What was told, by reason and rule.
  private(set) var reasons: [StateReason] = []
  private(set) var refusals: [RuleID?] = []
  private var fates: [EventID: Fate] = [:]
  private var requests: Set<EventID> = []
  private var callbacks: Set<EventID> = []
  private var told: [EventID: Duration] = [:]
  private var deadline: Duration?
  /// Apps that have exceeded their limits, and whose processes are still to be ended.
  private var exceeding: Set<AppID> = []

  init(rules: RuleSet) {
    mayStartInBackground = rules.mayStartInBackground.value
    limit = rules.requestLimit.value
  }

  mutating func check(_ holds: Bool, _ text: @autoclosure () -> String) {
    if !holds, fault == nil { fault = text() }
  }

  mutating func observe(_ event: Policy.Event, _ actions: [Policy.Action], at now: Duration) {
    switch event {
    case .request(_, let id, _):
      fates[id] = .waiting
      requests.insert(id)
    case .notice(_, let id, let kind):
      fates[id] = .waiting
      if kind == .callback { callbacks.insert(id) }
    case .radio(let new): power = new
    default: break
    }
    for action in actions { observe(action, of: event, at: now) }
    note(event)
    if let deadline { check(deadline > now, "a deadline that has passed") }
    for delivered in told.values { check(delivered + limit > now, "a central that waits too long") }
    check(exceeding.isEmpty, "an app that exceeds its limits and whose process goes on")
  }

  /// What a policy says of itself is what it told.
  mutating func look(at policy: Policy) {
    check(deadline == policy.nextDeadline, "another deadline than the one told")
    check(plan.advertisements == policy.plan.advertisements, "an air that is not the plan's")
    for (app, seen) in apps { check(policy.state(of: app) == seen.state, "a state that was not told") }
    checkAir(policy.plan)
  }

  /// Once every app has ended.
  mutating func end() {
    check(fates.values.allSatisfy { $0 == .over }, "an event that was neither told, refused nor dropped")
    check(deadline == nil, "a deadline without apps")
    check(plan.advertisements.isEmpty, "an advertisement without apps")
  }

  private mutating func observe(_ action: Policy.Action, of event: Policy.Event, at now: Duration) {
    switch action {
    case .setState(let app, let state, let reason): change(app, state, reason, event)
    case .deliver(let app, let id):
      check(apps[app]?.isRunning == true, "an event for an app that does not run")
      check(fates[id] == .waiting, "an event that is told twice")
      check(apps[app].map { $0.lastTold < id.rawValue } ?? false, "an event out of its order")
      if let first = apps[app]?.queue.first {
        check(first == id, "an event that overtakes what waits")
        apps[app]?.queue.removeFirst()
      }
      apps[app]?.lastTold = id.rawValue
      fates[id] = requests.contains(id) ? .told : .over
      guard requests.contains(id) else { return }
      told[id] = now
      owed.append(Debt(app: app, id: id))
    case .queue(let app, let id):
      check(apps[app]?.state == .suspended, "an event that waits for an app that runs")
      check(!requests.contains(id), "a request that waits")
      apps[app]?.queue.append(id)
    case .refuse(_, let id, _, let rule):
      refusals.append(rule)
      check(requests.contains(id) && (fates[id] == .waiting || fates[id] == .told), "a refusal of what is over")
      fates[id] = .over
      told[id] = nil
    case .drop(let app, let id, let reason):
      check(reason != .queueFull || !callbacks.contains(id), "a callback that is dropped")
      check(!requests.contains(id) && fates[id] == .waiting, "an event that is dropped after its end")
      fates[id] = .over
      apps[app]?.queue.removeAll { $0 == id }
    case .withholdAdvertising(let app, _):
      check(apps[app]?.state == .background || apps[app]?.state == .suspended, "advertising withheld in front")
    case .clearDatabase:
      for app in Array(apps.keys) {
        apps[app]?.asked = nil
        apps[app]?.allowed = []
      }
    case .air(let new):
      check(new.advertisements != plan.advertisements, "the same air again")
      plan = new
      checkPackets()
    case .terminate(let app, let cause):
      check(cause == .exceededLimits, "a cause that is not the system's")
      check(exceeding.remove(app) != nil, "a process that ends before all is said of its app")
    case .schedule(let time): deadline = time
    }
  }

  private mutating func change(_ app: AppID, _ state: AppState, _ reason: StateReason, _ event: Policy.Event) {
    if case .launched(app, let description, let mode) = event, reason == .launched {
      check(apps[app] == nil, "a launch of what runs")
      apps[app] = Seen(description: description, state: state, startsAsInFront: mode == .leftForeground)
      return
    }
    guard let old = apps[app]?.state else { return check(false, "a state of an app that is not there") }
    reasons.append(reason)
    check(Self.mayBecome[old]?.contains(state) == true, "\(old) that becomes \(state)")
    apps[app]?.state = state
    switch state {
    case .foreground:
      let asked = apps[app]?.asked?.serviceUUIDs ?? []
      apps[app]?.allowed = Set(asked)
      apps[app]?.startsAsInFront = false
    case .notRunning:
      if reason == .ended(.exceededLimits) {
        check(apps[app]?.description.hasBackgroundMode == true, "an end that R6 does not know")
        exceeding.insert(app)
      }
      apps[app] = nil
      owed.removeAll { $0.app == app }
    case .suspended: owed.removeAll { $0.app == app }
    case .inactive, .background: break
    }
  }

  /// What `AppState` says.
  private static let mayBecome: [AppState: Set<AppState>] = [
    .inactive: [.background, .foreground, .suspended, .notRunning],
    .foreground: [.background, .suspended, .notRunning],
    .background: [.foreground, .suspended, .notRunning],
    .suspended: [.background, .foreground, .notRunning],
  ]

  /// What an app asks for from then on, and which request is answered.
  private mutating func note(_ event: Policy.Event) {
    switch event {
    case .startAdvertising(let app, let fields):
      guard let seen = apps[app], seen.asked == nil else { return }
      apps[app]?.asked = fields
      guard seen.mayChange || mayStartInBackground else { return }
      apps[app]?.allowed = Set(fields.serviceUUIDs)
      apps[app]?.startsAsInFront = false
    case .stopAdvertising(let app):
      guard let seen = apps[app] else { return }
      apps[app]?.asked = nil
      if seen.mayChange || mayStartInBackground { apps[app]?.allowed = [] }
    case .answered(let app, let id):
      guard owed.contains(where: { $0.app == app && $0.id == id }) else { return }
      owed.removeAll { $0.id == id }
      told[id] = nil
      fates[id] = .over
    default: break
    }
  }
}

extension Observer.Seen {
  var isRunning: Bool { state == .foreground || state == .inactive || state == .background }

  fileprivate var mayChange: Bool { state == .foreground || state == .inactive || startsAsInFront }
}
