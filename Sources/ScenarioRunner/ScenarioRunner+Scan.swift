import Scenario
import Synchronization

extension ScenarioRunner {
  /// Scans until it hears what it looks for, and as it is expected; what is heard too early is not the last word.
  ///
  /// - Returns: what is wrong; nil where nothing is.
  mutating func scan(
    _ name: String, _ filter: Scenario.Filter, within limit: Duration, _ expected: Scenario.Sighting
  ) async throws(StageFailure) -> String? {
    let ear = Ear(filter)
    let isFound = try await stage.scan(name, for: filter.services ?? [], within: limit) { sighted in
      ear.hear(sighted) && (!expected.isExpected || sighted.differences(from: expected).isEmpty)
    }
    let (match, others) = ear.heard
    if let phone = match?.phone { heard[name] = phone }
    guard expected.isExpected else {
      return isFound ? match.map { "found \($0.text); expected not to find it" } : nil
    }
    guard !isFound else { return nil }
    if let match {
      return "found \(match.text); \(match.differences(from: expected).joined(separator: ", "))"
    }
    let found = others.isEmpty ? "heard nothing" : "heard " + others.map(\.text).joined(separator: "; ")
    return "\(found); expected to find \(filter.text) within \(limit.text)"
  }
}

/// What a central hears during one scan, as it heard it last.
private final class Ear: Sendable {
  private struct State {
    /// What was looked for.
    var match: Sighted?
    /// The rest, by address.
    var others: [String: Sighted] = [:]
  }

  private let filter: Scenario.Filter
  private let state = Mutex(State())

  init(_ filter: Scenario.Filter) { self.filter = filter }

  /// Whether it is what is looked for.
  func hear(_ sighted: Sighted) -> Bool {
    let isMatch = sighted.passes(filter)
    state.withLock { if isMatch { $0.match = sighted } else { $0.others[sighted.address] = sighted } }
    return isMatch
  }

  var heard: (match: Sighted?, others: [Sighted]) {
    state.withLock { ($0.match, $0.others.sorted { $0.key < $1.key }.map(\.value)) }
  }
}
