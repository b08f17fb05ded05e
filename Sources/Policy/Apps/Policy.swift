/// What is on the air and who may run and answer: events in, actions out, time as a duration since the system's start.
///
/// The rules, one place each: R1 to R3 and R11 in `AdvertisementPlanner`, R4 to R6 and R12 in extensions of `App`, R10
/// and R14 in extensions of `Policy`.
package struct Policy: Sendable {
  package let rules: RuleSet
  package internal(set) var plan = AdvertisementPlan.silent
  /// The time of the last `schedule`.
  package private(set) var nextDeadline: Duration?

  /// In the order of their numbers.
  var apps: [App] = []
  var isLocked = false
  var power = RadioPower.unavailable
  /// Nil while it is not on.
  var poweredOnSince: Duration?
  /// The latest time that was told: time never goes back.
  private(set) var clock = Duration.zero
  private var lastStart = 0
  /// What `plan` is the plan of.
  private var planned: (advertisers: [Advertiser], isPoweredOn: Bool) = ([], false)

  package init(rules: RuleSet) { self.rules = rules }

  /// Deadlines that have passed are heeded first, whether or not `deadline` was given.
  package mutating func handle(_ event: Event, at now: Duration) -> [Action] {
    clock = max(clock, now)
    var actions: [Action] = []
    if let nextDeadline, nextDeadline <= clock { passDeadlines(&actions) }
    actions += apply(event)
    let deadline = passDeadlines(&actions)
    replan(&actions)
    guard deadline != nextDeadline else { return actions }
    nextDeadline = deadline
    return actions + [.schedule(at: deadline)]
  }

  private mutating func apply(_ event: Event) -> [Action] {
    switch event {
    case .launched(let app, let description, let mode): return launch(app, description, mode)
    case .ended(let app, let cause): return end(app, cause)
    case .toForeground(let app): return bringToFront(app)
    case .toBackground(let app): return leave(app)
    case .suspend(let app): return suspend(app)
    case .locked: return lock()
    case .unlocked: return unlock()
    case .radio(let power): return change(to: power)
    case .startAdvertising(let app, let fields): return start(app, fields)
    case .stopAdvertising(let app): return change(app) { $0.stopAdvertising() }
    case .request(let app, let request, let kind): return receive(app, request, kind)
    case .notice(let app, let notice, let kind): return receive(app, App.Notice(id: notice, kind: kind))
    case .answered(let app, let request): return change(app) { $0.answered(request) }
    case .deadline: return []
    }
  }

  // MARK: Coming and going

  private mutating func launch(_ id: AppID, _ description: AppDescription, _ mode: LaunchMode) -> [Action] {
    guard apps.index(of: id) == nil else { return [] }
    var app = App(
      id: id, description: description, rules: rules.applying(description.overrides),
      isInFront: mode == .foreground, phase: .inactive(since: clock), startsAsInFront: mode == .leftForeground)
    let actions: [Action] =
      switch mode {
      case .foreground: isLocked ? app.enterBackground(.launched, at: clock) : app.enterForeground(.launched)
      case .leftForeground: [.setState(id, .inactive, .launched)]
      }
    apps.insert(app, at: apps.firstIndex { $0.id > id } ?? apps.endIndex)
    return actions
  }

  private mutating func end(_ id: AppID, _ cause: TerminationCause) -> [Action] {
    guard let index = apps.index(of: id) else { return [] }
    var app = apps.remove(at: index)
    return app.end(cause)
  }

  private mutating func bringToFront(_ id: AppID) -> [Action] {
    let isLocked = isLocked
    return change(id) { app in
      app.isInFront = true
      return isLocked ? [] : app.enterForeground(.userBroughtToFront)
    }
  }

  private mutating func leave(_ id: AppID) -> [Action] {
    let now = clock
    return change(id) { app in
      app.isInFront = false
      return app.enterBackground(.userLeft, at: now)
    }
  }

  private mutating func suspend(_ id: AppID) -> [Action] {
    change(id) { app in
      app.isInFront = false
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
    return changeAll { $0.isInFront ? $0.enterForeground(.screenUnlocked) : [] }
  }

  // MARK: What apps and centrals ask for

  private mutating func start(_ id: AppID, _ fields: AdvertisedFields) -> [Action] {
    lastStart += 1
    let order = lastStart
    let now = clock
    return change(id) { $0.asked == nil ? $0.startAdvertising(fields, order: order, at: now) : [] }
  }

  private mutating func receive(_ id: AppID, _ request: EventID, _ kind: RequestKind) -> [Action] {
    guard power == .on else { return [.refuse(id, request, rules.cutOffError.value, .r14)] }
    guard let index = apps.index(of: id) else { return [.refuse(id, request, rules.cutOffError.value, nil)] }
    return apps[index].receive(request, kind, at: clock)
  }

  private mutating func receive(_ id: AppID, _ notice: App.Notice) -> [Action] {
    guard let index = apps.index(of: id) else { return [.drop(id, notice.id, .noApp)] }
    return apps[index].receive(notice, at: clock)
  }

  // MARK: Time and the air

  /// The next deadline, when all that have passed are heeded.
  @discardableResult
  private mutating func passDeadlines(_ actions: inout [Action]) -> Duration? {
    while let (index, time) = apps.nextDue(poweredOnSince: poweredOnSince) {
      guard time <= clock else { return time }
      var passed = apps[index].passDeadline(poweredOnSince: poweredOnSince, at: clock)
      // What it leaves behind is seen to while it is still there.
      if case .terminate(let id, let cause) = passed.last {
        passed.insert(contentsOf: end(id, cause), at: passed.count - 1)
      }
      actions += passed
    }
    return nil
  }

  private mutating func replan(_ actions: inout [Action]) {
    let asked = apps.advertisers
    let isPoweredOn = power == .on
    guard asked != planned.advertisers || isPoweredOn != planned.isPoweredOn else { return }
    planned = (asked, isPoweredOn)
    let old = plan
    plan = AdvertisementPlanner.plan(asked, rules: rules, isPoweredOn: isPoweredOn)
    if plan.advertisements != old.advertisements { actions.append(.air(plan)) }
  }
}
