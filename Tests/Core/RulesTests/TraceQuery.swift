import BleperaRules

/// The queries of traces: the names of the properties of `Policy` and `AppStatus`.
enum TraceQuery {
  static func answer(_ words: [String], _ policy: Policy, at now: Duration) -> String {
    let app = words.count > 1 ? TraceWord.app(words[1]) : AppID(rawValue: 0)
    let status = policy.status(of: app, at: now)
    switch words[0] {
    case "state": return "\(policy.state(of: app))"
    case "isRunning": return policy.isRunning(app) ? "yes" : "no"
    case "isAdvertising": return status?.requested == nil ? "no" : "yes"
    case "cachedValueError": return policy.cachedValueError(app).map { TraceWord.text($0) } ?? "yes"
    case "budgetLeft": return status?.budgetLeft.map { TraceWord.text($0) } ?? "none"
    case "throttledFor": return status?.throttledFor.map { TraceWord.text($0) } ?? "no"
    case "queueLength": return status.map { "\($0.queueLength)" } ?? "none"
    case "pendingRequests": return status.map { "\($0.pendingRequests)" } ?? "none"
    case "overruns": return status.map { "\($0.overruns)" } ?? "none"
    case "dropped": return status.map { "\($0.dropped)" } ?? "none"
    case "terminationCause": return status?.terminationCause.map { "\($0)" } ?? "no"
    case "failedRelaunches": return status.map { "\($0.failedRelaunches)" } ?? "none"
    case "relaunch": return status?.relaunch.map(text) ?? "none"
    case "isScreenLocked": return policy.isScreenLocked ? policy.awaitsFirstUnlock ? "sinceReboot" : "yes" : "no"
    case "advertisingWithheldBy": return status?.advertisingWithheldBy.map { "\($0)" } ?? "no"
    case "intervalKind": return policy.plan.intervalKind.map { "\($0)" } ?? "nothing"
    case "nextDeadline": return policy.nextDeadline.map { TraceWord.text($0) } ?? "never"
    default: preconditionFailure("unknown query \(words)")
    }
  }

  private static func text(_ relaunch: RelaunchStatus) -> String {
    switch relaunch {
    case .backingOff(let time): "in\(TraceWord.text(time))"
    case .byUser, .ready, .afterFirstUnlock, .inProgress, .givenUp: "\(relaunch)"
    }
  }
}
