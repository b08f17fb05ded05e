import Policy

/// The questions of traces.
enum TraceQuery {
  static func answer(_ words: [String], _ policy: Policy, at now: Duration) -> String {
    let app = words.count > 2 ? TraceWord.app(words[1]) : AppID(rawValue: 0)
    let status = policy.status(of: app, at: now)
    switch words[0] {
    case "state": return "\(policy.state(of: app))"
    case "runs": return policy.isRunning(app) ? "yes" : "no"
    case "advertises": return policy.isAdvertising(app) ? "yes" : "no"
    case "cached": return policy.cachedValueError(app).map { TraceWord.text($0) } ?? "yes"
    case "budget": return status?.budgetLeft.map { TraceWord.text($0) } ?? "none"
    case "throttled": return status?.throttledFor.map { TraceWord.text($0) } ?? "no"
    case "waiting": return status.map { "\($0.queueLength)" } ?? "none"
    case "unanswered": return status.map { "\($0.unanswered)" } ?? "none"
    case "overstays": return status.map { "\($0.overstays)" } ?? "none"
    case "withheld": return status?.advertisingWithheldBy.map { "\($0)" } ?? "no"
    case "air": return TraceAction.text(policy.plan).split(separator: " ").last.map(String.init) ?? ""
    case "deadline": return policy.nextDeadline.map { TraceWord.text($0) } ?? "never"
    default: preconditionFailure("what is \(words)?")
    }
  }
}
