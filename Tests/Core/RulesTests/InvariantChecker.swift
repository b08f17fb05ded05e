import BleperaBluetooth
import BleperaRules

/// Checks the rules from the events and actions of a policy alone, and keeps the first violation.
struct InvariantChecker {
  struct App {
    var identity: AppIdentity
    var state: AppState
    var requested: AdvertisementData?
    /// The UUIDs that the app may have on the air (R12).
    var allowed: Set<BluetoothUUID> = []
    /// Whether the next start of advertising counts as one in the foreground.
    var startsAsForeground: Bool
    /// Queued events, in order.
    var queue: [EventID] = []
    var lastDelivered = 0
    var isTerminated = false
    /// Whether `restore` must precede the next event.
    var awaitsRestore = false
    /// Whether the app was restored and its state has not been set yet.
    var isRestored = false
    var mustBeForgotten = false
    var relaunch = Relaunch()
  }

  struct PendingRequest {
    let app: AppID
    let id: EventID
  }

  /// A request is delivered and then answered or refused, or refused at once; a notice is delivered or dropped.
  enum Progress { case pending, delivered, finished }

  // Copies of the values that are needed, because copying a rule set is expensive.
  let version: IOSVersion
  private let mayStartInBackground: Bool
  private let limit: Duration
  private(set) var violation: String?
  var apps: [AppID: App] = [:]
  var isBeforeFirstUnlock = false
  /// `mayRelaunch` before the current event, because deadlines are handled first.
  private(set) var couldRelaunch = false
  /// The number of apps that were restored, given up and forgotten.
  private(set) var counts: [String: Int] = [:]
  /// The requests that apps must still respond to, refused or not.
  private(set) var pendingRequests: [PendingRequest] = []
  private(set) var plan = AdvertisementPlan.silent
  private(set) var power = RadioPower.unavailable
  /// The reasons and rules of all actions.
  private(set) var reasons: [StateReason] = []
  private(set) var refusals: [RuleID?] = []
  private(set) var progress: [EventID: Progress] = [:]
  /// Including writes without response.
  private var requests: Set<EventID> = []
  private var commands: Set<EventID> = []
  private(set) var callbacks: Set<EventID> = []
  /// The kinds of events of central managers.
  private static let centralKinds: Set<NoticeKind> = [
    .discovery, .connection, .disconnection, .notification, .response, .change, .connectionEvent, .power,
  ]
  var centralEvents: Set<EventID> = []
  /// The events that wait for a relaunch and cause none.
  private(set) var changes: Set<EventID> = []
  /// The arrival times of requests whose centrals wait for a response.
  private var arrivals: [EventID: Duration] = [:]
  private var deadline: Duration?
  /// Apps whose `terminate` action must follow.
  private var terminating: [AppID: TerminationCause] = [:]

  init(rules: RuleSet, requestTimeLimit: Duration) {
    version = rules.version
    mayStartInBackground = rules.mayStartInBackground.value
    limit = requestTimeLimit
  }

  mutating func check(_ holds: Bool, _ text: @autoclosure () -> String) {
    if !holds, violation == nil { violation = text() }
  }

  mutating func observe(_ event: Policy.Event, _ actions: [Policy.Action], at now: Duration) {
    failLateRelaunches(at: now)
    switch event {
    case .request(_, let id, let kind, _):
      progress[id] = .pending
      requests.insert(id)
      if kind == .command { commands.insert(id) } else { arrivals[id] = now }
    case .notice(_, let id, let kind, _):
      progress[id] = .pending
      if kind == .callback { callbacks.insert(id) }
      if kind == .change { changes.insert(id) }
      if Self.centralKinds.contains(kind) { centralEvents.insert(id) }
    default: break
    }
    couldRelaunch = mayRelaunch
    if case .radio(let new) = event { power = new }
    prepare(for: event, at: now)
    for action in actions { observe(action, of: event, at: now) }
    recordRequests(event)
    resetRelaunches(event)
    checkRelaunches(at: now)
    if let deadline { check(deadline > now, "the deadline has passed") }
    for requested in arrivals.values { check(requested + limit > now, "a central waits too long") }
    check(terminating.isEmpty, "a terminated app whose process continues")
  }

  /// The state of the policy must be what its actions have reported.
  mutating func compare(with policy: Policy) {
    check(deadline == policy.nextDeadline, "the deadline differs from the last scheduled one")
    check(
      plan.phone == policy.plan.phone && plan.interval == policy.plan.interval,
      "the last air action differs from the plan")
    for (app, seen) in apps { check(policy.state(of: app) == seen.state, "a state that was not set by an action") }
    checkAir(policy.plan)
  }

  /// Checks the end, when no app is left.
  mutating func end() {
    check(progress.values.allSatisfy { $0 == .finished }, "an event that was neither delivered, refused nor dropped")
    check(deadline == nil, "a deadline without apps")
    check(plan.phone == nil, "an advertisement without apps")
  }

  private mutating func observe(_ action: Policy.Action, of event: Policy.Event, at now: Duration) {
    switch action {
    case .setState(let app, let state, let reason): change(app, state, reason, event, at: now)
    case .deliver(let app, let id):
      check(apps[app]?.awaitsRestore == false, "an event before restore (R9)")
      check(apps[app]?.isRunning == true, "an event for an app that does not run")
      check(progress[id] == .pending, "an event is delivered twice")
      check(apps[app].map { $0.lastDelivered < id.rawValue } ?? false, "an event is delivered out of order")
      if let first = apps[app]?.queue.first {
        check(first == id, "an event overtakes a queued event")
        apps[app]?.queue.removeFirst()
      }
      apps[app]?.lastDelivered = id.rawValue
      let isAnswered = requests.contains(id) && !commands.contains(id)
      progress[id] = isAnswered ? .delivered : .finished
      guard isAnswered else { return }
      pendingRequests.append(PendingRequest(app: app, id: id))
    case .queue(let app, let id):
      check(apps[app]?.state == .suspended || apps[app]?.isTerminated == true, "an event is queued for a running app")
      check(apps[app]?.isTerminated == true || arrivals[id] == nil, "a request is queued for a suspended app")
      check(apps[app]?.isTerminated == false || !callbacks.contains(id), "a callback is queued for a terminated app")
      apps[app]?.queue.append(id)
    case .refuse(let app, let id, _, let rule):
      refusals.append(rule)
      apps[app]?.queue.removeAll { $0 == id }
      check(
        requests.contains(id) && (progress[id] == .pending || progress[id] == .delivered), "a finished event is refused"
      )
      progress[id] = .finished
      arrivals[id] = nil
    case .drop(let app, let id, let reason):
      check(reason != .queueFull || !callbacks.contains(id), "a full queue drops a callback")
      check(arrivals[id] == nil && progress[id] == .pending, "a finished event or a request is dropped")
      progress[id] = .finished
      apps[app]?.queue.removeAll { $0 == id }
    case .withholdAdvertising(let app, _):
      check(
        apps[app]?.state == .background || apps[app]?.state == .suspended, "advertising is withheld in the foreground")
    case .forgetManager: check(false, "a manager is forgotten, though each app has one")
    case .clearDatabase:
      for app in Array(apps.keys) {
        apps[app]?.requested = nil
        apps[app]?.allowed = []
      }
    case .air(let new):
      check(new.phone != plan.phone || new.interval != plan.interval, "an air action without a change")
      plan = new
      checkPackets()
    case .terminate(let app, let cause):
      let isStarting = event == .rebooted && apps[app]?.relaunch.inProgressSince != nil
      check(terminating[app] == cause || isStarting, "a process is terminated before its app's state is set")
      terminating[app] = nil
    case .relaunch(let app, let reason):
      reasons.append(reason)
      observeRelaunch(app, at: now)
    case .restore(let app):
      counts["restored", default: 0] += 1
      check(apps[app]?.isTerminated == true, "an app is restored that was not terminated (R9)")
      apps[app]?.isRestored = true
    case .giveUp(let app):
      counts["given up", default: 0] += 1
      check(apps[app]?.relaunch.failures ?? 0 >= 5, "an app is given up too early")
      check(apps[app]?.relaunch.isGivenUp == true, "an app is given up without reason")
    case .forget(let app):
      counts["forgotten", default: 0] += 1
      check(apps[app]?.isTerminated == true, "a running app is forgotten")
      check(apps[app]?.mustBeForgotten == true, "an app is forgotten without reason (R15)")
      check(terminating[app] == nil, "an app is forgotten before its process is terminated")
      check(apps[app]?.queue.isEmpty == true, "an app is forgotten before its queued events are dropped")
      apps[app] = nil
    case .schedule(let time): deadline = time
    }
  }

  private mutating func change(
    _ app: AppID, _ state: AppState, _ reason: StateReason, _ event: Policy.Event, at now: Duration
  ) {
    if case .launched(app, let identity, let mode) = event, reason == .launched || reason == .relaunched {
      reasons.append(reason)
      check(apps[app].map(\.isTerminated) ?? true, "a running app is launched")
      return launch(app, identity, state, mode)
    }
    guard let old = apps[app]?.state else { return check(false, "the state of an unknown app is set") }
    reasons.append(reason)
    check(Self.mayBecome[old]?.contains(state) == true, "\(old) becomes \(state)")
    apps[app]?.state = state
    switch state {
    case .foreground:
      let requested = apps[app]?.requested?.serviceUUIDs ?? []
      apps[app]?.allowed = Set(requested)
      apps[app]?.startsAsForeground = false
      apps[app]?.relaunch.succeed()
    case .notRunning:
      if reason == .terminated(.exceededLimits), case .terminated(app, .exceededLimits) = event {
      } else if reason == .terminated(.exceededLimits) {
        check(
          apps[app]?.identity.backgroundModes.isEmpty == false,
          "an app without a background mode exceeds the limits (R6)")
        terminating[app] = .exceededLimits
      } else if event == .rebooted {
        terminating[app] = .reboot
      }
      if case .terminated(let cause) = reason { end(app, cause, at: now) }
      pendingRequests.removeAll { $0.app == app }
    case .suspended:
      pendingRequests.removeAll { $0.app == app }
      apps[app]?.relaunch.succeed()
    case .inactive, .background: break
    }
  }

  /// The transitions that `AppState` documents.
  private static let mayBecome: [AppState: Set<AppState>] = [
    .inactive: [.background, .foreground, .suspended, .notRunning],
    .foreground: [.background, .suspended, .notRunning],
    .background: [.foreground, .suspended, .notRunning],
    .suspended: [.background, .foreground, .notRunning],
  ]

  /// Records the app's requested advertisement and its responses.
  private mutating func recordRequests(_ event: Policy.Event) {
    switch event {
    case .startAdvertising(let app, let fields, _):
      guard let seen = apps[app], seen.requested == nil, !seen.isTerminated else { return }
      apps[app]?.requested = fields
      guard seen.mayChange || mayStartInBackground else { return }
      apps[app]?.allowed = Set(fields.serviceUUIDs)
      apps[app]?.startsAsForeground = false
    case .stopAdvertising(let app, _):
      guard let seen = apps[app], !seen.isTerminated else { return }
      apps[app]?.requested = nil
      apps[app]?.allowed = []
    case .answered(let app, let id):
      guard pendingRequests.contains(where: { $0.app == app && $0.id == id }) else { return }
      pendingRequests.removeAll { $0.id == id }
      arrivals[id] = nil
      progress[id] = .finished
      apps[app]?.relaunch.succeed()
    default: break
    }
  }
}

extension InvariantChecker.App {
  var isRunning: Bool { state == .foreground || state == .inactive || state == .background }

  fileprivate var mayChange: Bool { state == .foreground || state == .inactive || startsAsForeground }
}
