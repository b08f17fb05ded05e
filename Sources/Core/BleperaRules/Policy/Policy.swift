import BleperaBluetooth

/// Decides what is on the air and which apps may run and respond: events in, actions out. Times are durations since the
/// system's start.
///
/// Where the rules are: R1 to R3 and R11 in `AdvertisementPlanner`, R4 to R9 and R12 in extensions of `AppModel`, R10,
/// R14, R15 and R19 in extensions of `Policy`.
package struct Policy: Sendable {
  package var rules: RuleSet { shared.rules }
  /// How long any app may take to respond to a request; nil for no limit. The limit is the radio's and no rule of iOS.
  package var requestTimeLimit: Duration?
  package internal(set) var plan = AdvertisementPlan.silent
  /// The time of the last `schedule`.
  package var nextDeadline: Duration? {
    guard let handoffEnd else { return next?.time }
    return min(handoffEnd, next?.time ?? handoffEnd)
  }

  /// `rules`, without a copy of them.
  let shared: SharedRules
  /// In the order of their numbers.
  var apps: [AppModel] = []
  var isLocked = false
  /// Whether the phone was rebooted and has not been unlocked since (R15).
  var isBeforeFirstUnlock = false
  var power = RadioPower.unavailable
  /// Whether centrals are connected to the phone.
  private(set) var hasCentrals = false
  /// Nil while the radio is not on.
  var poweredOnSince: Duration?
  /// The latest time of an event; time never goes back.
  private(set) var clock = Duration.zero
  private var lastStart = 0
  /// The earliest deadline, and an app that has it.
  private var next: (app: AppID, time: Duration)?
  /// When Handoff is no longer new; nil where it is not on the air or no longer new.
  private var handoffEnd: Duration?
  /// Whether the inputs of `plan` may have changed.
  private var mustReplan = false
  /// The inputs of `plan`.
  private var planned: (advertisers: [Advertiser], radio: RadioAvailability, isHandoffNew: Bool) = ([], .off, false)

  package init(rules: RuleSet, requestTimeLimit: Duration? = nil) {
    shared = SharedRules(rules)
    self.requestTimeLimit = requestTimeLimit
  }

  /// Handles deadlines that have passed before the event, whether or not `deadline` was sent.
  ///
  /// - Parameter isLast: false where another event follows at once, whose plan is the one that counts.
  package mutating func handle(_ event: Event, at now: Duration, isLast: Bool = true) -> [Action] {
    clock = max(clock, now)
    var actions: [Action] = []
    let scheduled = nextDeadline
    if let scheduled, scheduled <= clock {
      if let handoffEnd, handoffEnd <= clock { (self.handoffEnd, mustReplan) = (nil, true) }
      passDeadlines(&actions)
    }
    if actions.isEmpty { actions = apply(event) } else { actions += apply(event) }
    if !passDeadline(after: event) { passDeadlines(&actions) }
    if event.mayChangePlan || actions.contains(where: \.mayChangePlan) { mustReplan = true }
    if mustReplan, isLast { replan(&actions) }
    if nextDeadline != scheduled { actions.append(.schedule(at: nextDeadline)) }
    return actions
  }

  private mutating func apply(_ event: Event) -> [Action] {
    switch event {
    case .launched(let app, let identity, let mode): return launch(app, identity, mode)
    case .resumed(let app, let identity, let mode, let isSuspended, let isFrontmost):
      return resume(app, identity, mode, isSuspended: isSuspended, isFrontmost: isFrontmost)
    case .terminated(let app, let cause): return end(app, cause)
    case .preserved(let app, let identity, let hasSubscribers, let cause):
      return take(app, identity, hasSubscribers: hasSubscribers, cause)
    case .centrals(let areConnected):
      hasCentrals = areConnected
      return []
    case .relaunchFailed(let app):
      let now = clock
      return change(app) { $0.relaunchFailed(at: now) }
    case .toForeground(let app): return bringToFront(app)
    case .toBackground(let app): return leave(app)
    case .suspend(let app): return suspend(app)
    case .locked: return lock()
    case .screenPreserved(let isBeforeFirstUnlock):
      (isLocked, self.isBeforeFirstUnlock) = (true, isBeforeFirstUnlock)
      return []
    case .unlocked: return unlock()
    case .radio(let power): return change(to: power)
    case .bluetoothSwitched(let means): return switchBluetooth(by: means)
    case .rebooted: return reboot()
    case .startAdvertising(let app, let fields, let manager): return start(app, fields, manager)
    case .stopAdvertising(let app, let manager):
      return change(app) { $0.termination == nil ? $0.stopAdvertising(by: manager) : [] }
    case .managerCreated(let app, let manager, let requested, let effective):
      let now = clock
      return add(manager, requested, effective, to: app) + change(app) { $0.created(manager, at: now) }
    case .managerForgotten(let app, let manager): return change(app) { $0.forget([manager]) }
    case .request(let app, let request, let kind, let manager):
      return receive(request, .request(kind), by: manager, of: app)
    case .notice(let app, let notice, let kind, let manager):
      return receive(notice, .notice(kind), by: manager, of: app)
    case .answered(let app, let request): return change(app) { $0.answered(request) }
    case .requestAbandoned(let app, let request): return change(app) { $0.abandon(request) }
    case .finished(let app): return change(app) { $0.finish() }
    case .becameIdle(let app): return change(app) { $0.becomeIdle() }
    case .backgroundTaskBegan(let app, let task):
      let now = clock
      return change(app) { $0.begin(task, at: now) }
    case .backgroundTaskEnded(let app, let task): return change(app) { $0.end(task) }
    case .deadline: return []
    }
  }

  // MARK: App lifecycle

  private mutating func launch(_ id: AppID, _ identity: AppIdentity, _ mode: LaunchMode) -> [Action] {
    let now = clock
    let isLocked = isLocked
    if let index = apps.index(of: id), apps[index].termination == nil { return [] }
    let others = mode == .foreground ? moveOthersToBackground(than: id) : []
    if let index = apps.index(of: id) {
      identify(index, identity)
      return others + apps[index].launchAgain(into: mode, isLocked: isLocked, at: now)
    }
    var app = AppModel(id, identity, shared, at: now)
    let actions = app.launch(into: mode, isLocked: isLocked, at: now)
    insert(app)
    return others + actions
  }

  /// Gives a preserved app the identity with which its process has connected.
  private mutating func identify(_ index: Int, _ identity: AppIdentity) {
    apps[index].identity = identity
    apps[index].rules = shared.applying(identity.rules)
  }

  /// Resumes a preserved app; an app that the user has opened meanwhile stays frontmost.
  private mutating func resume(
    _ id: AppID, _ identity: AppIdentity, _ mode: LaunchMode, isSuspended: Bool, isFrontmost: Bool
  ) -> [Action] {
    guard let index = apps.index(of: id), apps[index].termination != nil else { return [] }
    let hasFront = !shared.splitView.value && apps.contains { $0.isFrontmost }
    identify(index, identity)
    return apps[index].resume(
      into: mode, isSuspended: isSuspended, isFrontmost: isFrontmost && !hasFront, isLocked: isLocked, at: clock)
  }

  /// R11: an iPhone shows one app, so opening an app moves the previous app to the background.
  private mutating func moveOthersToBackground(than id: AppID) -> [Action] {
    guard !shared.splitView.value else { return [] }
    let now = clock
    return changeAll { app in
      guard app.id != id, app.isFrontmost else { return [] }
      app.isFrontmost = false
      return app.enterBackground(.otherAppOpened, at: now)
    }
  }

  /// Adds an app that was preserved on disk.
  private mutating func take(
    _ id: AppID, _ identity: AppIdentity, hasSubscribers: Bool, _ cause: TerminationCause
  ) -> [Action] {
    guard apps.index(of: id) == nil else { return [] }
    var app = AppModel(id, identity, shared, at: clock)
    app.phase = .terminated(AppModel.Termination(cause: cause, isRelaunchable: hasSubscribers))
    insert(app)
    return []
  }

  private mutating func add(
    _ manager: ManagerID, _ requested: AdvertisementData?, _ effective: AdvertisementData?, to id: AppID
  ) -> [Action] {
    lastStart += 1
    let order = lastStart
    return change(id) {
      $0.add(
        AppModel.Manager(
          id: manager, requested: requested?.normalized, effective: effective?.normalized, requestOrder: order,
          startOrder: order))
      $0.makeRelaunchable(if: requested != nil)
      return []
    }
  }

  private mutating func insert(_ app: AppModel) {
    apps.insert(app, at: apps.firstIndex { $0.id > app.id } ?? apps.endIndex)
  }

  private mutating func bringToFront(_ id: AppID) -> [Action] {
    let isLocked = isLocked
    let now = clock
    guard app(id)?.termination == nil else { return [] }
    let others = app(id) == nil ? [] : moveOthersToBackground(than: id)
    return others
      + change(id) { app in
        app.isFrontmost = true
        return isLocked ? [] : app.enterForeground(.userBroughtToFront, at: now)
      }
  }

  private mutating func leave(_ id: AppID) -> [Action] {
    let now = clock
    return change(id) { app in
      app.isFrontmost = false
      return app.enterBackground(.userLeft, at: now)
    }
  }

  private mutating func suspend(_ id: AppID) -> [Action] {
    change(id) { app in
      app.isFrontmost = false
      return app.suspend(.userSuspended)
    }
  }

  private mutating func lock() -> [Action] {
    isLocked = true
    let now = clock
    return changeAll { $0.enterBackground(.screenLocked, at: now) }
  }

  private mutating func unlock() -> [Action] {
    isLocked = false
    isBeforeFirstUnlock = false
    let now = clock
    return changeAll { $0.isFrontmost ? $0.enterForeground(.screenUnlocked, at: now) : [] }
  }

  // MARK: Requests of apps and centrals

  private mutating func start(_ id: AppID, _ fields: AdvertisementData, _ manager: ManagerID) -> [Action] {
    lastStart += 1
    let order = lastStart
    let now = clock
    return change(id) {
      $0.termination == nil ? $0.startAdvertising(fields.normalized, by: manager, order: order, at: now) : []
    }
  }

  /// `App.receive` decides on delivery. Requests are refused while the radio is off.
  private mutating func receive(
    _ event: EventID, _ kind: AppModel.Waiting.Kind, by manager: ManagerID, of id: AppID
  ) -> [Action] {
    if kind.isRequest, power != .on { return [.refuse(id, event, shared.timeoutError.value, .r14)] }
    guard let index = apps.index(of: id) else {
      return [kind.isRequest ? .refuse(id, event, shared.timeoutError.value, nil) : .drop(id, event, .noApp)]
    }
    let waiting = AppModel.Waiting(id: event, kind: kind, arrived: clock, manager: manager)
    return apps[index].receive(waiting, isBeforeFirstUnlock: isBeforeFirstUnlock, at: clock)
  }

  // MARK: Deadlines and advertising

  private var phone: PhoneState {
    PhoneState(
      poweredOnSince: poweredOnSince, isBeforeFirstUnlock: isBeforeFirstUnlock, requestTimeLimit: requestTimeLimit)
  }

  /// Finds the next deadline after an event that changes one app, without a look at the others; false where that is not
  /// possible.
  private mutating func passDeadline(after event: Event) -> Bool {
    guard let id = event.onlyApp, next?.app != id, let index = apps.index(of: id) else { return false }
    guard let time = apps[index].due(phone) else { return true }
    guard time > clock else { return false }
    if next.map({ time < $0.time }) ?? true { next = (id, time) }
    return true
  }

  /// Handles all deadlines that have passed, and finds the next one.
  private mutating func passDeadlines(_ actions: inout [Action]) {
    let phone = phone
    next = nil
    while let (index, time) = apps.nextDue(phone) {
      guard time <= clock else { return next = (apps[index].id, time) }
      var passed = apps[index].passDeadline(phone, at: clock)
      // `end` adds the actions that must precede the termination.
      if case .terminate(let id, let cause) = passed.last {
        passed.removeLast()
        passed += end(id, cause, isToBeTerminated: true)
      }
      actions += passed
    }
  }

  private mutating func replan(_ actions: inout [Action]) {
    mustReplan = false
    let requested = apps.advertisers
    let radio: RadioAvailability =
      power != .on ? .off : isBeforeFirstUnlock ? .beforeFirstUnlock : isLocked ? .locked : .open
    guard requested != planned.advertisers || radio != planned.radio || (handoffEnd != nil) != planned.isHandoffNew
    else {
      return
    }
    let old = plan
    func makePlan(isHandoffNew: Bool) -> AdvertisementPlan {
      AdvertisementPlanner.plan(requested, rules: shared.rules, radio: radio, isHandoffNew: isHandoffNew)
    }
    plan = makePlan(isHandoffNew: handoffEnd != nil)
    if plan.hasHandoff != old.hasHandoff {
      handoffEnd = plan.hasHandoff ? clock + shared.handoffInterval.value.newTime : nil
      if plan.hasHandoff { plan = makePlan(isHandoffNew: true) }
    }
    planned = (requested, radio, handoffEnd != nil)
    if plan.phone != old.phone || plan.interval != old.interval || plan.own != old.own { actions.append(.air(plan)) }
  }
}
