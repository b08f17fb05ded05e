import GATT
import Policy

/// Who answers a central, and by which rule.
struct CentralAnswer: Equatable {
  enum Outcome: Equatable {
    /// The app is running and hears of it.
    case app
    /// The app is woken, and runs for so long.
    case woken(Duration)
    /// The system, without the app.
    case system
    case error(ATTError)
    /// The app hears of it when it is in the foreground again.
    case queued
  }

  let request: CentralRequest
  let outcome: Outcome
  /// Nil where no rule is needed to say so.
  let rule: RuleID?
}

extension CentralAnswer: Encodable {
  private enum CodingKeys: CodingKey {
    case request, outcome, seconds, error, rule
  }

  private enum ErrorKeys: CodingKey {
    case code, name
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(request, forKey: .request)
    try container.encodeIfPresent(rule.map { "\($0)" }, forKey: .rule)
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
