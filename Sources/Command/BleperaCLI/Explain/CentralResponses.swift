import BleperaBluetooth
import BleperaRules

/// A kind of request of a central.
enum CentralRequest: String, CaseIterable, Encodable {
  /// Reads a cached value.
  case readCached
  /// Reads a dynamic value.
  case read
  case write
  case subscribe

  func isPossible(_ characteristic: CharacteristicDefinition) -> Bool {
    let properties = characteristic.properties
    return switch self {
    case .readCached: characteristic.value != nil
    case .read: characteristic.value == nil && properties.contains(.read)
    case .write: !properties.isDisjoint(with: .writable)
    case .subscribe: !properties.isDisjoint(with: .subscribable)
    }
  }

  /// Whether the request needs an encrypted link, for which a central has to pair.
  func needsPairing(_ characteristic: CharacteristicDefinition) -> Bool {
    switch self {
    case .readCached, .read: characteristic.permissions.contains(.readEncryptionRequired)
    case .write: characteristic.permissions.contains(.writeEncryptionRequired)
    case .subscribe:
      !characteristic.properties.isDisjoint(with: [.notifyEncryptionRequired, .indicateEncryptionRequired])
    }
  }

  /// Whether the app's `AnswerDelay` applies to the request.
  var isDelayed: Bool { self == .read || self == .write }
}

/// The outcome of a request and the rule that determines it.
struct CentralResponse: Equatable {
  enum Outcome: Equatable {
    /// The running app responds.
    case app
    /// The app is woken for a duration, and responds.
    case woken(Duration)
    /// The phone responds without the app.
    case system
    case error(ATTError)
    /// The app responds when it is in the foreground again.
    case queued
  }

  let request: CentralRequest
  let outcome: Outcome
  let rule: RuleID?
  /// The characteristics for which a central has to pair first.
  var pairing = PairingNeed.none
  /// The time until the central receives the response; nil without a delay.
  var delay: Duration?
}

/// The share of characteristics for which a central has to pair.
enum PairingNeed: String, Encodable {
  case none
  case some
  case all
}

extension CentralResponse: Encodable {
  private enum CodingKeys: CodingKey {
    case request, outcome, seconds, error, rule, pairing, delay
  }

  private enum ErrorKeys: CodingKey {
    case code, name
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(request, forKey: .request)
    try container.encodeIfPresent(rule.map { "\($0)" }, forKey: .rule)
    if pairing != .none { try container.encode(pairing, forKey: .pairing) }
    try container.encodeIfPresent(delay.map { $0 / .seconds(1) }, forKey: .delay)
    switch outcome {
    case .app: try container.encode("app", forKey: .outcome)
    case .woken(let duration):
      try container.encode("woken", forKey: .outcome)
      try container.encode(duration / .seconds(1), forKey: .seconds)
    case .system: try container.encode("system", forKey: .outcome)
    case .error(let error):
      try container.encode("error", forKey: .outcome)
      var nested = container.nestedContainer(keyedBy: ErrorKeys.self, forKey: .error)
      try nested.encode(error.rawValue, forKey: .code)
      try nested.encodeIfPresent(error.name, forKey: .name)
    case .queued: try container.encode("queued", forKey: .outcome)
    }
  }
}

/// The responses to requests for one app.
struct AppResponses: Equatable {
  let app: String
  let isRunning: Bool
  /// The time until the app is suspended; nil without a limit.
  let timeLeft: Duration?
  let responses: [CentralResponse]
  /// The responses while the app is suspended; nil without a limit.
  let laterResponses: [CentralResponse]?

  init(_ app: ExplainedApp, _ policy: Policy) {
    self.app = app.identifier
    isRunning = policy.isRunning(app.id)
    timeLeft = policy.status(of: app.id, at: .zero)?.budgetLeft
    responses = app.requests.map { Self.response($0, of: app, policy) }
    var later = policy
    _ = later.handle(.suspend(app.id), at: .zero)
    laterResponses = timeLeft == nil ? nil : app.requests.map { [later] in Self.response($0, of: app, later) }
  }

  private static func response(
    _ request: CentralRequest, of app: ExplainedApp, _ policy: Policy
  ) -> CentralResponse {
    var response = response(
      request, of: app.id, app.manager ?? ManagerID(.peripheral, .number(0)), policy, delay: app.delays[request])
    response.pairing = app.pairing[request] ?? .none
    return response
  }

  private static func response(
    _ request: CentralRequest, of app: AppID, _ manager: ManagerID, _ policy: Policy, delay: Duration?
  ) -> CentralResponse {
    switch request {
    case .readCached:
      guard let error = policy.cachedValueError(app) else {
        return CentralResponse(request: request, outcome: .system, rule: .r10)
      }
      return CentralResponse(request: request, outcome: .error(error), rule: .r4)
    case .read:
      return response(request, .request(app, event, .read, manager: manager), of: app, policy, delay: delay)
    case .write:
      return response(request, .request(app, event, .write, manager: manager), of: app, policy, delay: delay)
    case .subscribe:
      return response(request, .notice(app, event, .subscribe, manager: manager), of: app, policy, delay: nil)
    }
  }

  private static let event = EventID(rawValue: 1)

  private static func response(
    _ request: CentralRequest, _ event: Policy.Event, of app: AppID, _ policy: Policy, delay: Duration?
  ) -> CentralResponse {
    var policy = policy
    let wasRunning = policy.isRunning(app)
    for action in policy.handle(event, at: .zero) {
      switch action {
      case .refuse(_, _, let error, let rule):
        return CentralResponse(request: request, outcome: .error(error), rule: rule)
      case .queue: return CentralResponse(request: request, outcome: .queued, rule: .r4)
      case .setState, .deliver, .drop, .withholdAdvertising, .clearDatabase, .air, .terminate, .relaunch, .restore,
        .giveUp, .forget, .forgetManager, .schedule:
        continue
      }
    }
    let budget = policy.status(of: app, at: .zero)?.budgetLeft
    if let delay {
      for case .refuse(_, _, let error, let rule) in policy.handle(.deadline, at: delay) {
        return CentralResponse(request: request, outcome: .error(error), rule: rule, delay: budget)
      }
    }
    guard !wasRunning, let budget else {
      return CentralResponse(request: request, outcome: .app, rule: nil, delay: delay)
    }
    return CentralResponse(request: request, outcome: .woken(budget), rule: .r5, delay: delay)
  }
}

extension AppResponses: Encodable {
  private enum CodingKeys: CodingKey {
    case app, running, secondsLeft, requests, requestsWhenSuspended
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(app, forKey: .app)
    try container.encode(isRunning, forKey: .running)
    try container.encodeIfPresent(timeLeft.map { $0 / .seconds(1) }, forKey: .secondsLeft)
    try container.encode(responses, forKey: .requests)
    try container.encodeIfPresent(laterResponses, forKey: .requestsWhenSuspended)
  }
}
