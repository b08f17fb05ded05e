import BleperaRules

/// The questions of traces.
enum TraceQuery {
  static func answer(_ words: [String], _ policy: Policy, at now: Duration) -> String {
    let app = words.count > 2 ? TraceWord.app(words[1]) : AppID(rawValue: 0)
    let status = policy.status(of: app, at: now)
    switch words[0] {
    case "state": return "\(policy.state(of: app))"
    case "runs": return policy.isRunning(app) ? "yes" : "no"
    case "advertises": return status?.requested == nil ? "no" : "yes"
    case "cached": return policy.cachedValueError(app).map { TraceWord.text($0) } ?? "yes"
    case "budget": return status?.budgetLeft.map { TraceWord.text($0) } ?? "none"
    case "throttled": return status?.throttledFor.map { TraceWord.text($0) } ?? "no"
    case "waiting": return status.map { "\($0.queueLength)" } ?? "none"
    case "pendingRequests": return status.map { "\($0.pendingRequests)" } ?? "none"
    case "overruns": return status.map { "\($0.overruns)" } ?? "none"
    case "dropped": return status.map { "\($0.dropped)" } ?? "none"
    case "ended": return status?.terminationCause.map { "\($0)" } ?? "no"
    case "failed": return status.map { "\($0.failedRelaunches)" } ?? "none"
    case "relaunch": return status?.relaunch.map(text) ?? "none"
    case "locked": return policy.isScreenLocked ? policy.awaitsFirstUnlock ? "sinceReboot" : "yes" : "no"
    case "withheld": return status?.advertisingWithheldBy.map { "\($0)" } ?? "no"
    case "air": return TraceAction.text(policy.plan).split(separator: " ").last.map(String.init) ?? ""
    case "deadline": return policy.nextDeadline.map { TraceWord.text($0) } ?? "never"
    default: preconditionFailure("what is \(words)?")
    }
  }

  private static func text(_ relaunch: RelaunchStatus) -> String {
    switch relaunch {
    case .backingOff(let time): "in\(TraceWord.text(time))"
    case .byUser, .ready, .afterFirstUnlock, .inProgress, .givenUp: "\(relaunch)"
    }
  }
}
