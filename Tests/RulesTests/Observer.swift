import BleperaBluetooth
import BleperaRules

/// Knows of a system only what goes into the policy and what comes out, and says what must never be.
struct Observer {
  struct Seen {
    var identity: AppIdentity
    var state: AppState
    var requested: AdvertisementData?
    /// What it may have on the air (R12).
    var allowed: Set<BluetoothUUID> = []
    /// Whether its next start counts as one in front.
    var startsAsForeground: Bool
    /// Events that wait, in order.
    var queue: [EventID] = []
    var lastTold = 0
    var isGone = false
    /// Whether it is to be restored before it is told anything.
    var awaitsRestore = false
    /// Whether it has been restored and has no state yet.
    var isRestored = false
    var isToBeForgotten = false
    var relaunch = Relaunch()
  }

  struct Debt {
    let app: AppID
    let id: EventID
  }

  /// What has become of an event: a request is told and then answered or refused, or refused; a notice is told or dropped.
  enum Fate { case waiting, told, over }

  // A rule set is dear to copy.
  let version: IOSVersion
  private let mayStartInBackground: Bool
  private let limit: Duration
  private(set) var fault: String?
  var apps: [AppID: Seen] = [:]
  var isBeforeFirstUnlock = false
  /// Before the event that is observed: deadlines come first.
  private(set) var couldRelaunch = false
  /// How often apps were restored, given up and forgotten.
  private(set) var counts: [String: Int] = [:]
  /// Requests to which apps owe an answer, refused or not.
  private(set) var owed: [Debt] = []
  private(set) var plan = AdvertisementPlan.silent
  private(set) var power = RadioPower.unavailable
  /// What was told, by reason and rule.
  private(set) var reasons: [StateReason] = []
  private(set) var refusals: [RuleID?] = []
  private(set) var fates: [EventID: Fate] = [:]
  /// With commands.
  private var requests: Set<EventID> = []
  private var commands: Set<EventID> = []
  private(set) var callbacks: Set<EventID> = []
  /// When the centrals have asked that wait.
  private var patience: [EventID: Duration] = [:]
  private var deadline: Duration?
  /// Apps whose processes are still to be ended.
  private var terminating: [AppID: TerminationCause] = [:]

  init(rules: RuleSet, requestTimeLimit: Duration) {
    version = rules.version
    mayStartInBackground = rules.mayStartInBackground.value
    limit = requestTimeLimit
  }

  mutating func check(_ holds: Bool, _ text: @autoclosure () -> String) {
    if !holds, fault == nil { fault = text() }
  }

  mutating func observe(_ event: Policy.Event, _ actions: [Policy.Action], at now: Duration) {
    passTime(at: now)
    switch event {
    case .request(_, let id, let kind, _):
      fates[id] = .waiting
      requests.insert(id)
      if kind == .command { commands.insert(id) } else { patience[id] = now }
    case .notice(_, let id, let kind, _):
      fates[id] = .waiting
      if kind == .callback { callbacks.insert(id) }
    default: break
    }
    couldRelaunch = mayRelaunch
    if case .radio(let new) = event { power = new }
    prepare(for: event, at: now)
    for action in actions { observe(action, of: event, at: now) }
    note(event)
    settle(event)
    checkRelaunches(at: now)
    if let deadline { check(deadline > now, "a deadline that has passed") }
    for requested in patience.values { check(requested + limit > now, "a central that waits too long") }
    check(terminating.isEmpty, "an app that was ended and whose process goes on")
  }

  /// What a policy says of itself is what it told.
  mutating func look(at policy: Policy) {
    check(deadline == policy.nextDeadline, "another deadline than the one told")
    check(plan.phone == policy.plan.phone && plan.interval == policy.plan.interval, "an air that is not the plan's")
    for (app, seen) in apps { check(policy.state(of: app) == seen.state, "a state that was not told") }
    checkAir(policy.plan)
  }

  /// Once every app has ended.
  mutating func end() {
    check(fates.values.allSatisfy { $0 == .over }, "an event that was neither told, refused nor dropped")
    check(deadline == nil, "a deadline without apps")
    check(plan.phone == nil, "an advertisement without apps")
  }

  private mutating func observe(_ action: Policy.Action, of event: Policy.Event, at now: Duration) {
    switch action {
    case .setState(let app, let state, let reason): change(app, state, reason, event, at: now)
    case .deliver(let app, let id):
      check(apps[app]?.awaitsRestore == false, "an event before the restoration (R9)")
      check(apps[app]?.isRunning == true, "an event for an app that does not run")
      check(fates[id] == .waiting, "an event that is told twice")
      check(apps[app].map { $0.lastTold < id.rawValue } ?? false, "an event out of its order")
      if let first = apps[app]?.queue.first {
        check(first == id, "an event that overtakes what waits")
        apps[app]?.queue.removeFirst()
      }
      apps[app]?.lastTold = id.rawValue
      let isAnswered = requests.contains(id) && !commands.contains(id)
      fates[id] = isAnswered ? .told : .over
      guard isAnswered else { return }
      owed.append(Debt(app: app, id: id))
    case .queue(let app, let id):
      check(apps[app]?.state == .suspended || apps[app]?.isGone == true, "an event that waits for an app that runs")
      check(apps[app]?.isGone == true || patience[id] == nil, "a request that waits for a suspended app")
      check(apps[app]?.isGone == false || !callbacks.contains(id), "a callback that waits for an app that is gone")
      apps[app]?.queue.append(id)
    case .refuse(let app, let id, _, let rule):
      refusals.append(rule)
      apps[app]?.queue.removeAll { $0 == id }
      check(requests.contains(id) && (fates[id] == .waiting || fates[id] == .told), "a refusal of what is over")
      fates[id] = .over
      patience[id] = nil
    case .drop(let app, let id, let reason):
      check(reason != .queueFull || !callbacks.contains(id), "a callback that is dropped")
      check(patience[id] == nil && fates[id] == .waiting, "an event that is dropped after its end")
      fates[id] = .over
      apps[app]?.queue.removeAll { $0 == id }
    case .withholdAdvertising(let app, _):
      check(apps[app]?.state == .background || apps[app]?.state == .suspended, "advertising withheld in front")
    case .forgetManager: check(false, "an app of several managers")
    case .clearDatabase:
      for app in Array(apps.keys) {
        apps[app]?.requested = nil
        apps[app]?.allowed = []
      }
    case .air(let new):
      check(new.phone != plan.phone || new.interval != plan.interval, "the same air again")
      plan = new
      checkPackets()
    case .terminate(let app, let cause):
      let isStarting = event == .rebooted && apps[app]?.relaunch.inProgressSince != nil
      check(terminating[app] == cause || isStarting, "a process that ends before all is said of its app")
      terminating[app] = nil
    case .relaunch(let app, let reason):
      reasons.append(reason)
      observeRelaunch(app, at: now)
    case .restore(let app):
      counts["restored", default: 0] += 1
      check(apps[app]?.isGone == true, "a restoration of what was not gone (R9)")
      apps[app]?.isRestored = true
    case .giveUp(let app):
      counts["given up", default: 0] += 1
      check(apps[app]?.relaunch.failures ?? 0 >= 5, "an app that is given up too early")
      check(apps[app]?.relaunch.isGivenUp == true, "an app that is given up for nothing")
    case .forget(let app):
      counts["forgotten", default: 0] += 1
      check(apps[app]?.isGone == true, "an app that is forgotten while it runs")
      check(apps[app]?.isToBeForgotten == true, "an app that is forgotten for nothing (R15)")
      check(terminating[app] == nil, "an app that is forgotten before its process ends")
      check(apps[app]?.queue.isEmpty == true, "an app that is forgotten before what waits")
      apps[app] = nil
    case .schedule(let time): deadline = time
    }
  }

  private mutating func change(
    _ app: AppID, _ state: AppState, _ reason: StateReason, _ event: Policy.Event, at now: Duration
  ) {
    if case .launched(app, let identity, let mode) = event, reason == .launched || reason == .relaunched {
      reasons.append(reason)
      check(apps[app].map(\.isGone) ?? true, "a launch of what runs")
      return launch(app, identity, state, mode)
    }
    guard let old = apps[app]?.state else { return check(false, "a state of an app that is not there") }
    reasons.append(reason)
    check(Self.mayBecome[old]?.contains(state) == true, "\(old) that becomes \(state)")
    apps[app]?.state = state
    switch state {
    case .foreground:
      let requested = apps[app]?.requested?.serviceUUIDs ?? []
      apps[app]?.allowed = Set(requested)
      apps[app]?.startsAsForeground = false
      apps[app]?.relaunch.pass()
    case .notRunning:
      if reason == .terminated(.exceededLimits), case .terminated(app, .exceededLimits) = event {
      } else if reason == .terminated(.exceededLimits) {
        check(apps[app]?.identity.hasBackgroundMode == true, "an end that R6 does not know")
        terminating[app] = .exceededLimits
      } else if event == .rebooted {
        terminating[app] = .reboot
      }
      if case .terminated(let cause) = reason { end(app, cause, at: now) }
      owed.removeAll { $0.app == app }
    case .suspended:
      owed.removeAll { $0.app == app }
      apps[app]?.relaunch.pass()
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
    case .startAdvertising(let app, let fields, _):
      guard let seen = apps[app], seen.requested == nil, !seen.isGone else { return }
      apps[app]?.requested = fields
      guard seen.mayChange || mayStartInBackground else { return }
      apps[app]?.allowed = Set(fields.serviceUUIDs)
      apps[app]?.startsAsForeground = false
    case .stopAdvertising(let app, _):
      guard let seen = apps[app], !seen.isGone else { return }
      apps[app]?.requested = nil
      apps[app]?.allowed = []
    case .answered(let app, let id):
      guard owed.contains(where: { $0.app == app && $0.id == id }) else { return }
      owed.removeAll { $0.id == id }
      patience[id] = nil
      fates[id] = .over
      apps[app]?.relaunch.pass()
    default: break
    }
  }
}

extension Observer.Seen {
  var isRunning: Bool { state == .foreground || state == .inactive || state == .background }

  fileprivate var mayChange: Bool { state == .foreground || state == .inactive || startsAsForeground }
}
