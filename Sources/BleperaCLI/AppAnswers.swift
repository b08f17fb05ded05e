import Policy

/// What becomes of a central's requests to one app.
struct AppAnswers: Equatable {
  let app: String
  let isRunning: Bool
  /// Until it is suspended; nil where no limit runs.
  let timeLeft: Duration?
  let answers: [CentralAnswer]
  /// What becomes of them when that time is over; nil where no limit runs.
  let laterAnswers: [CentralAnswer]?

  /// Asks the rules.
  init(_ app: ExplainedApp, _ policy: Policy) {
    self.app = app.identifier
    isRunning = policy.isRunning(app.id)
    timeLeft = policy.status(of: app.id, at: .zero)?.budgetLeft
    answers = app.requests.map { Self.answer($0, of: app.id, policy) }
    var later = policy
    _ = later.handle(.suspend(app.id), at: .zero)
    laterAnswers = timeLeft == nil ? nil : app.requests.map { [later] in Self.answer($0, of: app.id, later) }
  }

  private static func answer(_ request: CentralRequest, of app: AppID, _ policy: Policy) -> CentralAnswer {
    switch request {
    case .readCached:
      guard let error = policy.cachedValueError(app) else {
        return CentralAnswer(request: request, outcome: .system, rule: .r10)
      }
      return CentralAnswer(request: request, outcome: .error(error), rule: .r4)
    case .read: return answer(request, .request(app, event, .read), of: app, policy)
    case .write: return answer(request, .request(app, event, .write), of: app, policy)
    case .subscribe: return answer(request, .notice(app, event, .subscribe), of: app, policy)
    }
  }

  private static let event = EventID(rawValue: 1)

  private static func answer(
    _ request: CentralRequest, _ event: Policy.Event, of app: AppID, _ policy: Policy
  ) -> CentralAnswer {
    var policy = policy
    let wasRunning = policy.isRunning(app)
    for action in policy.handle(event, at: .zero) {
      switch action {
      case .refuse(_, _, let error, let rule):
        return CentralAnswer(request: request, outcome: .error(error), rule: rule)
      case .queue: return CentralAnswer(request: request, outcome: .queued, rule: .r4)
      case .setState, .deliver, .drop, .withholdAdvertising, .clearDatabase, .air, .terminate, .relaunch, .restore,
        .giveUp, .forget, .schedule:
        continue
      }
    }
    guard !wasRunning, let budget = policy.status(of: app, at: .zero)?.budgetLeft else {
      return CentralAnswer(request: request, outcome: .app, rule: nil)
    }
    return CentralAnswer(request: request, outcome: .woken(budget), rule: .r5)
  }
}

extension AppAnswers: Encodable {
  private enum CodingKeys: CodingKey {
    case app, running, secondsLeft, requests, requestsWhenSuspended
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(app, forKey: .app)
    try container.encode(isRunning, forKey: .running)
    try container.encodeIfPresent(timeLeft.map { $0 / .seconds(1) }, forKey: .secondsLeft)
    try container.encode(answers, forKey: .requests)
    try container.encodeIfPresent(laterAnswers, forKey: .requestsWhenSuspended)
  }
}
