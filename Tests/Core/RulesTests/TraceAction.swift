import BleperaBluetooth
import BleperaRules

/// The actions of traces.
enum TraceAction {
  static func text(_ action: Policy.Action) -> String {
    switch action {
    case .setState(let app, let state, let reason): "\(TraceWord.text(app)) \(state) \(text(reason))"
    case .deliver(let app, let event): "deliver \(TraceWord.text(app)) \(TraceWord.text(event))"
    case .queue(let app, let event): "queue \(TraceWord.text(app)) \(TraceWord.text(event))"
    case .refuse(let app, let event, let error, let rule):
      "refuse \(TraceWord.text(app)) \(TraceWord.text(event)) \(TraceWord.text(error))"
        + (rule.map { " \($0)" } ?? "")
    case .drop(let app, let event, let reason):
      "drop \(TraceWord.text(app)) \(TraceWord.text(event))\(reason.rule.map { " \($0)" } ?? " noApp")"
    case .withholdAdvertising(let app, let rule): "withholdAdvertising \(TraceWord.text(app)) \(rule)"
    case .relaunch(let app, let reason): "relaunch \(TraceWord.text(app)) \(text(reason))"
    case .restore(let app): "restore \(TraceWord.text(app))"
    case .giveUp(let app): "giveUp \(TraceWord.text(app))"
    case .forget(let app): "forget \(TraceWord.text(app))"
    case .forgetManager(let app, let manager): "forgetManager \(TraceWord.text(app)) \(manager)"
    case .clearDatabase: "clearDatabase"
    case .air(let plan): "air \(text(plan))"
    case .terminate(let app, let cause): "terminate \(TraceWord.text(app)) \(cause)"
    case .schedule(let time): "schedule \(time.map { TraceWord.text($0) } ?? "never")"
    }
  }

  /// `Fred 180D bits 61 foreground`; `nothing`.
  static func text(_ plan: AdvertisementPlan) -> String {
    guard let kind = plan.intervalKind else { return "nothing" }
    let area = plan.overflow.isEmpty ? [] : ["bits"] + plan.overflowArea.bits.map { "\($0)" }
    let names = [plan.phone?.localName].compactMap { $0 } + (plan.phone?.serviceUUIDs ?? []).map { TraceWord.text($0) }
    return (names + area + ["\(kind)"]).joined(separator: " ")
  }

  private static func text(_ reason: StateReason) -> String {
    switch reason {
    case .wokenForRequest(let kind): "wokenForRequest \(kind)"
    case .wokenForNotice(let kind): "wokenForNotice \(kind)"
    case .terminated(let cause): "\(cause)"
    case .launched, .relaunched, .userBroughtToFront, .userLeft, .userSuspended, .screenLocked, .screenUnlocked,
      .otherAppOpened, .launchFinished, .gracePeriodExpired, .finished, .wakeBudgetExpired, .overran, .phoneRestarted:
      "\(reason)"
    }
  }
}
